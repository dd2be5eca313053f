/**
 * The completion of zsh: the script of the library runs what was typed through `eval`, and does not complete the files
 * after `path=`.
 */
export const zshCompletion = String.raw`#compdef tenon
# zsh completion for tenon: source <(tenon completion zsh), after compinit
_tenon() {
  local -a keys key_lines names name_lines
  local line value about
  for line in "\${(@f)$(tenon complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -z $line || $line == :<-> ]] && continue
    value=\${line%%$'\t'*}
    about=\${line#*$'\t'}
    [[ -z $about || $about == $line ]] || about="  $about"
    if [[ $value == *= ]]; then
      keys+=("$value") key_lines+=("$value$about")
    else
      names+=("$value") name_lines+=("$value$about")
    fi
  done
  if [[ $PREFIX == [a-zA-Z_]*=* ]]; then
    compset -P '*='
    _files
    return
  fi
  [[ $PREFIX == --*=* ]] && compset -P '*='
  (( \${#keys} )) && compadd -l -S '' -d key_lines -a keys
  (( \${#names} )) && compadd -l -d name_lines -a names
  (( \${#keys} + \${#names} )) || _files
}
if [[ \${funcstack[1]} == _tenon ]]; then _tenon; else compdef _tenon tenon; fi
`.replaceAll(String.raw`\$`, "$");
