import { type Html, html } from '#domain/core/html.ts'

/** A table that scrolls by itself where it is wider than the page. */
export function grid(
  name: string,
  head: readonly string[],
  rows: readonly (readonly (string | Html)[])[],
): Html {
  const titles = head.map((title) => html`<th scope="col">${title}</th>`)
  const body = rows.map(
    (row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>
`,
  )
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${name}">
<table class="data"><thead><tr>${titles}</tr></thead><tbody>${body}</tbody></table></div>`
}
