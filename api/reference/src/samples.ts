import { made } from './dom.ts'

const CHOSEN = 'reference.language'

/** Makes tabs of the samples: one language at a time, the same on every page of this tab. */
export function prepareSamples(): void {
  const box = document.querySelector<HTMLElement>('.samples')
  if (box === null) return
  const sections = [...box.querySelectorAll<HTMLElement>('.sample')]
  const list = made('div')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', 'Languages')
  const tabs = sections.map((section, index) => {
    const language = section.dataset['language'] ?? ''
    const tab = made('button', language)
    tab.type = 'button'
    tab.id = `tab-${language.toLowerCase()}`
    tab.setAttribute('role', 'tab')
    section.id = `sample-${language.toLowerCase()}`
    section.setAttribute('role', 'tabpanel')
    section.removeAttribute('aria-label')
    section.setAttribute('aria-labelledby', tab.id)
    tab.setAttribute('aria-controls', section.id)
    tab.addEventListener('click', () => choose(index))
    return tab
  })
  const choose = (chosen: number): void => {
    tabs.forEach((tab, index) => {
      tab.setAttribute('aria-selected', String(index === chosen))
      tab.tabIndex = index === chosen ? 0 : -1
    })
    sections.forEach((section, index) => {
      section.hidden = index !== chosen
    })
    sessionStorage.setItem(CHOSEN, tabs[chosen]?.textContent ?? '')
  }
  list.addEventListener('keydown', ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
    if (step === undefined) return
    const current = tabs.findIndex((tab) => tab.tabIndex === 0)
    const next = (current + step + tabs.length) % tabs.length
    choose(next)
    tabs[next]?.focus()
  })
  list.append(...tabs)
  box.prepend(list)
  box.classList.add('tabbed')
  const last = tabs.findIndex(({ textContent }) => textContent === sessionStorage.getItem(CHOSEN))
  choose(Math.max(last, 0))
}
