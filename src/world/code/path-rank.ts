/** The rank of a file by its path relative to the search root; lower is better. */
export function pathPenalty(path: string): number {
  let penalty = 0;
  if (isVendored(path)) penalty += 400;
  if (/(?:^|\/)(?:dist|build|out|target|coverage|generated|__generated__|\.next)\//.test(path))
    penalty += 300;
  if (/\.(?:min|bundle|generated|pb|g)\.[^/]+$|[._]pb2?\.\w+$/.test(path)) penalty += 300;
  if (isTest(path)) penalty += 200;
  if (/\.d\.[cm]?ts$/.test(path)) penalty += 20;
  let depth = 0;
  for (const char of path) if (char === "/") depth += 1;
  return penalty + Math.min(depth, 15);
}

/** Whether a file is third-party code. */
export function isVendored(path: string): boolean {
  return /(?:^|\/)(?:node_modules|vendor|third[_-]party|bower_components|site-packages|\.venv|venv|Pods)\//.test(
    path,
  );
}

function isTest(path: string): boolean {
  return (
    /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|__fixtures__|testdata|__mocks__|examples?|bench(?:marks?)?)\//.test(
      path,
    ) ||
    /[._-](?:test|spec|fixture|bench)\.[^/]+$|(?:^|\/)test_[^/]+\.py$|_test\.go$|Tests?\.(?:java|cs)$/.test(
      path,
    )
  );
}
