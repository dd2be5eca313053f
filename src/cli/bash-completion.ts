/**
 * The completion of bash, by bash alone: the script of the library needs the package bash-completion, runs what was
 * typed through `eval`, and cannot be sourced twice.
 */
export const bashCompletion = String.raw`# bash completion for tenon: source <(tenon completion bash)
__tenon_complete() {
  local -a words=()
  local at word current values line
  # Bash splits words at "=" and ":" too; Tenon sees them whole.
  for ((at = 1; at <= COMP_CWORD; at++)); do
    word=\${COMP_WORDS[at]}
    if ((\${#words[@]} > 0)) && [[ $word =~ ^[=:]+$ || ($word && \${words[-1]} =~ [=:]$ && \${COMP_WORDS[at - 1]} =~ ^[=:]+$) ]]; then
      words[-1]+=$word
    else
      words+=("$word")
    fi
  done
  current=\${words[-1]}
  values=$(tenon complete -- "\${words[@]}" 2>/dev/null) || return
  COMPREPLY=()
  [[ $current == --*=* ]] && current=\${current#*=}
  while IFS= read -r line; do
    [[ $line =~ ^:[0-9]+$ ]] && continue
    line=\${line%%$'\t'*}
    [[ $line == "$current"* ]] || continue
    # Bash replaces only what follows the last "=" or ":".
    [[ $current == *[=:]* ]] && line=\${line#"\${current%"\${current##*[=:]}"}"}
    COMPREPLY+=("$line")
  done <<<"$values"
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -o default -F __tenon_complete tenon
`.replaceAll(String.raw`\$`, "$");
