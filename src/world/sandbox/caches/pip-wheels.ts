/** Where the wheels are, in the cache of pip. */
export const wheelsFolder = "tenon-wheels";

/**
 * Give the wheels in pip's cache their names again, so that pip can install them without network: it keeps what it
 * downloaded as answers to requests, and asks the index about each package again. Commands write the cache, so this
 * runs in the sandbox, too.
 *
 * Before version 23.3, pip stored an answer as one MessagePack value, in which a mark and the length precede the body.
 */
export const wheelScript = String.raw`
import glob, os, re, sys, zipfile
os.chdir(os.path.expanduser("~/.cache/pip"))
os.makedirs("${wheelsFolder}", exist_ok=True)
def name_of(path):
    with zipfile.ZipFile(path) as wheel:
        info = next(name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/WHEEL", name))
        text = wheel.read(info).decode("utf-8", "replace")
    tags = [line.split(":", 1)[1].strip().split("-") for line in text.splitlines() if line.startswith("Tag:")]
    build = re.search(r"^Build:\s*(\S+)", text, re.M)
    parts = [".".join(sorted(set(part))) for part in zip(*tags)]
    return "-".join([info.split(".dist-info/")[0], *([build[1]] if build else []), *parts]) + ".whl"
def keep(path):
    try:
        target = os.path.join("${wheelsFolder}", os.path.basename(name_of(path)))
        if not os.path.exists(target):
            os.link(path, target)
    except (OSError, StopIteration, ValueError, IndexError, zipfile.BadZipFile):
        pass
def body_of(path):
    with open(path, "rb") as file:
        head = file.read(65536)
        at = head.find(b"PK\x03\x04")
        width = next((w for w, mark in ((1, 0xc4), (2, 0xc5), (4, 0xc6)) if at > w and head[at - w - 1] == mark), None)
        if width is None:
            return None
        file.seek(at)
        return file.read(int.from_bytes(head[at - width:at], "big"))
for path in glob.iglob("http-v2/**/*.body", recursive=True):
    keep(path)
for path in glob.iglob("wheels/**/*.whl", recursive=True):
    keep(path)
for path in glob.iglob("http/**", recursive=True):
    if not os.path.isfile(path):
        continue
    body = body_of(path)
    if body is None:
        continue
    copy = os.path.join("${wheelsFolder}", ".part")
    with open(copy, "wb") as file:
        file.write(body)
    keep(copy)
    os.unlink(copy)
`;
