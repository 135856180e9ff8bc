import { holdsPhrase, type PhraseBudget } from './recovery-phrase.ts'

const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a PEM block', /-----BEGIN [A-Z0-9 ]{1,60}-----/],
  ['an API key', /\b[sr]k_(live|test)_[0-9A-Za-z]{8,}/],
  ['an API key', /\bsk-(ant|proj|svcacct|or)-[0-9A-Za-z_-]{16,}/],
  // A digest of 32 bytes has 43 characters in base64url, and can begin like a key.
  ['an API key', /\bsk-[0-9A-Za-z]{44,}/],
  ['an API key', /\bSG\.[0-9A-Za-z_-]{16,64}\.[0-9A-Za-z_-]{16,}/],
  ['an npm token', /\bnpm_[0-9A-Za-z]{36}\b/],
  ['an AWS access key', /\b(AKIA|ASIA)[0-9A-Z]{16}\b/],
  ['a Google API key', /\bAIza[0-9A-Za-z_-]{35}/],
  ['a GitHub token', /\b(gh[oprsu]_[0-9A-Za-z]{20,}|github_pat_[0-9A-Za-z_]{20,})/],
  ['a GitLab token', /\bglpat-[0-9A-Za-z_-]{16,}/],
  ['a Slack token', /\bxox[abeoprs]-[0-9A-Za-z-]{8,}/],
  ['a webhook secret', /\bwhs(ec|k)_[0-9A-Za-z+/=]{16,}/],
  ['a credential of this service', /\b(op|ag)_[0-9A-Za-z]{8,64}_[0-9A-Za-z_-]{32,}/],
  ['a bearer token', /\bbearer[ \t]{1,8}[0-9A-Za-z._~+/=-]{16,}/i],
  ['a password in a URL', /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/],
  // What only stands for a password, such as stars or a name in brackets, is none.
  [
    'a password',
    /\b(?:pass(?:word|wd|phrase|code)|pwd)\\{0,3}["']?[ \t]{0,8}[:=][ \t]{0,8}\\{0,3}["']?(?!(?:null|true|false)\b)[^\s"'\\*<[({$]\S{3}/i,
  ],
  ['a social security number', /(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])/],
]

/** Names that mark what follows them as secret. */
const marking =
  /(?:private|secret|priv|signing)[ _-]?key|seed|secret|mnemonic|pass(?:word|wd|phrase|code)|pwd/i
/** Stands in each of these; looked for first, because it is cheap. */
const keyMark = /key|seed|secret/i
const keyMarks = /\b(?:(?:private|secret|priv|signing)[ _-]?key|seed|secret)\b/i
const hexKey = /(?<![0-9A-Za-z])(?:0x)?[0-9a-fA-F]{64}(?![0-9A-Za-z])/g
/** Nothing shorter holds a secret, unless a label says that it is one. */
const SECRET_CHARS_MIN = 7
/** How far ahead of a key its label may stand. */
const LABEL_CHARS = 48

/**
 * The kind of secret that a text holds, in words for an error message; undefined when none is recognised. A `label` is the name that the
 * text has where it stands. 64 hex digits are a secret only where a label says so.
 */
export function nameSecret(text: string, budget: PhraseBudget, label?: string): string | undefined {
  const marked = label !== undefined && marking.test(label)
  if (!marked && text.length < SECRET_CHARS_MIN) return undefined
  const said = marked ? `${label.replaceAll('_', ' ')}: ${text}` : text
  const known = patterns.find(([, pattern]) => pattern.test(said))
  if (known !== undefined) return known[0]
  if (holdsPrivateJwk(said)) return 'a private JWK'
  if (holdsLabelledKey(said)) return 'a private key'
  return holdsPhrase(text, budget) ? 'a recovery phrase' : undefined
}

/** JSON text, escaped or not, and broken into lines or not, in which a `kty` stands with a private `d`. */
function holdsPrivateJwk(text: string): boolean {
  return (
    /"kty\\{0,3}"\s*:/.test(text) && /"d\\{0,3}"\s*:\s*\\{0,3}"(?:[A-Za-z0-9_-]\s?){20,}/.test(text)
  )
}

/** Whether a parsed JSON object is a private JWK. */
export function isPrivateJwk(value: object): boolean {
  return 'kty' in value && 'd' in value && /^[A-Za-z0-9_-]{20,}$/.test(String(value.d))
}

function holdsLabelledKey(text: string): boolean {
  if (!keyMark.test(text)) return false
  for (const { index } of text.matchAll(hexKey)) {
    const before = text.slice(Math.max(0, index - LABEL_CHARS), index)
    if (keyMarks.test(before.replaceAll('_', ' '))) return true
  }
  return false
}
