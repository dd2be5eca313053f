/** What a tool may answer to do harm: markup, terminal escapes, turned text, hidden text, an endless line. */
export const hostileText = [
  `<img src=x onerror="document.body.dataset.hacked = 'yes'"><script>document.body.dataset.hacked = 'yes'</script>`,
  "\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b[2J\u001b[1A after",
  "user\u202etxt.exe and \u200bhidden \u{e0041}tag",
  `\u0000null ${"x".repeat(1_000_000)}`,
  "the end",
].join("\n");
