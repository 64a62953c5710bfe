/**
 * Whether the shell may put a name in the place of a pattern of `*`, `?` and `[…]`, without `/`: what
 * stands in brackets counts as any character. The time is bounded by the length of the name times that
 * of the pattern. For the shell a star is no dot at the
 * beginning, for `find` it is.
 */
export function matchesName(name: string, pattern: string, isHiddenToo = false): boolean {
  if (!isHiddenToo && name.startsWith('.') && !/^[.[]/.test(pattern)) return false
  const tokens = pattern.match(/\[[!^]?\]?[^\]]*\]|[^]/gu) ?? []
  const chars = [...name]
  let at = 0
  let token = 0
  // Where the last star stands, and up to where it reaches by now.
  let star = -1
  let reach = 0
  while (at < chars.length) {
    const wanted = tokens[token]
    if (wanted === '*') {
      star = token++
      reach = at
    } else if (wanted !== undefined && (wanted === chars[at] || isAny(wanted))) {
      token++
      at++
    } else if (star !== -1) {
      token = star + 1
      at = ++reach
    } else return false
  }
  return tokens.slice(token).every((one) => one === '*')
}

function isAny(token: string): boolean {
  return token === '?' || token.length > 2
}
