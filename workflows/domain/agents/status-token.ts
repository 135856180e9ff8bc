/** The subject of a status token, by its prefix. */
const tokenPrefixes = ['st', 'tk', 'wt', 'pt'] as const
export type TokenPrefix = (typeof tokenPrefixes)[number]

const tokenForm = /^(st|tk|wt|pt)_[A-Za-z0-9_-]{43}$/

/** The prefix of a status token: `<prefix>_` and 256 bits as 43 base64url; undefined for anything else. */
export function tokenPrefixOf(token: string): TokenPrefix | undefined {
  return tokenForm.exec(token)?.[1] as TokenPrefix | undefined
}
