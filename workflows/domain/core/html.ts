/** A piece of HTML that is safe to print; only `html` makes one. */
export type Html = { readonly markup: string }
type Part = string | number | Html | readonly Html[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** A template of HTML: what is put in as text is escaped, what is HTML already is not. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: strings.map((text, index) => text + markupOf(parts[index] ?? '')).join('') }
}

function markupOf(part: Part): string {
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part))
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('')
}

/** A text with the five characters escaped that HTML and XML give a meaning. */
export const escapeText = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
