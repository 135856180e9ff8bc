/** What a description of a service has no use for, each in time linear in the text. */
const patterns: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['markup', /<\/?[a-z!][^>]{0,200}/i],
  ['markup', /\]\([a-z][a-z0-9+.-]{0,20}:/i],
  ['markup', /\b(?:javascript|data|vbscript):[^\s]/i],
  [
    'instructions to the reader',
    /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|instructions?|rules?|prompts?|polic(?:y|ies))\b/i,
  ],
  ['instructions to the reader', /\b(?:system|developer)\s{1,3}(?:prompt|message)\b/i],
  [
    'instructions to the reader',
    /\b(?:you|the (?:agent|model|assistant))\s{1,3}(?:must|should|shall|have to)\b/i,
  ],
  [
    'instructions to the reader',
    /\b(?:do not|don't|never)\s{1,3}(?:mention|inform|reveal|ask|notify)\b/i,
  ],
  [
    'instructions to the reader',
    /\b(?:send|transfer|pay|forward|upload)\b[^.\n]{0,40}\b(?:wallet|private key|seed|password|credential|access key|token)s?\b/i,
  ],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  ['hidden characters', /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/],
  ['hidden characters', /[\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/],
]

/** What is suspicious about the first such text in a value, its names included; undefined where nothing is. */
export function suspicionIn(value: unknown): string | undefined {
  const left = [value]
  while (left.length > 0) {
    const one = left.pop()
    if (typeof one === 'string') {
      const found = patterns.find(([, pattern]) => pattern.test(one))
      if (found !== undefined) return `a text holds ${found[0]}`
    } else if (typeof one === 'object' && one !== null) {
      for (const [key, part] of Object.entries(one)) {
        left.push(part)
        if (!Array.isArray(one)) left.push(key)
      }
    }
  }
  return undefined
}
