import { type Html, html } from '#domain/core/html.ts'

/** Code to copy; the button is made by `copyScript`, so that no dead one stands there without scripts. */
export function snippet(code: string, name: string): Html {
  return html`<div class="snippet"><pre tabindex="0" aria-label="${name}"><code>${code}</code></pre></div>`
}

/** The pages' one script: a button next to each snippet that copies its code to the clipboard. */
export const copyScript = `for (const box of document.querySelectorAll('.snippet')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.setAttribute('aria-live', 'polite')
  button.addEventListener('click', async () => {
    const copied = navigator.clipboard?.writeText(box.querySelector('code').textContent)
    button.textContent = await copied.then(() => 'Copied', () => 'Not copied')
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
  if (navigator.clipboard) box.append(button)
}
`
