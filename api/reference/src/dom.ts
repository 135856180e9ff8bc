/** The element of an id, where this page has it. */
export const byId = <Kind extends HTMLElement>(id: string): Kind | null =>
  document.getElementById(id) as Kind | null

/** A new element with a text. */
export function made<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name)
  element.textContent = text
  return element
}
