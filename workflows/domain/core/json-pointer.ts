/** The JSON Pointer of a path (RFC 6901): empty for the whole document. */
export const pointerOf = (path: readonly PropertyKey[]): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The decoded parts of a JSON Pointer; undefined for a text that is none. */
export function pointerParts(pointer: string): string[] | undefined {
  if (!/^(\/([^~]|~[01])*)?$/u.test(pointer)) return undefined
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}
