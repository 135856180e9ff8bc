import { byId, made } from './dom.ts'

const SHOWN_HEADERS = [
  'content-type',
  'x-request-id',
  'retry-after',
  'idempotent-replayed',
  'payment-required',
  'www-authenticate',
]
const BYTES_MAX = 200_000
const keyOf = (name: string): string => `reference.secret.${name}`

/** The form that sends the call to this host. Credentials stay in the storage of this tab. */
export function prepareForm(): void {
  const form = byId<HTMLFormElement>('try-form')
  if (form === null) return
  form.hidden = false
  const secrets = [...form.querySelectorAll<HTMLInputElement>('[data-secret]')]
  for (const secret of secrets) {
    const key = keyOf(secret.dataset['secret'] ?? '')
    secret.value = sessionStorage.getItem(key) ?? ''
    secret.addEventListener('input', () => sessionStorage.setItem(key, secret.value))
  }
  const forget = byId('forget')
  if (forget !== null) forget.hidden = secrets.length === 0
  forget?.addEventListener('click', () => {
    for (const name of Object.keys(sessionStorage))
      if (name.startsWith(keyOf(''))) sessionStorage.removeItem(name)
    for (const secret of secrets) secret.value = ''
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form)
  })
}

async function send(form: HTMLFormElement): Promise<void> {
  const shown = byId('answer-of-try')
  if (shown === null) return
  shown.replaceChildren(made('p', 'Sending …'))
  const started = performance.now()
  try {
    const answer = await fetch(urlOf(form), requestOf(form))
    const text = await answer.text()
    const ms = Math.round(performance.now() - started)
    shown.replaceChildren(...shownAnswer(answer, text, ms))
  } catch (error) {
    shown.replaceChildren(made('p', `The call did not get through: ${String(error)}`))
  }
}

const fields = (form: HTMLFormElement, place: string): HTMLInputElement[] => [
  ...form.querySelectorAll<HTMLInputElement>(`[data-place="${place}"]`),
]

function urlOf(form: HTMLFormElement): string {
  const inPath = new Map(fields(form, 'path').map(({ name, value }) => [name, value.trim()]))
  const path = (form.dataset['path'] ?? '').replaceAll(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(inPath.get(name) ?? ''),
  )
  const query = new URLSearchParams(
    fields(form, 'query')
      .filter(({ value }) => value.trim() !== '')
      .map(({ name, value }) => [name, value.trim()]),
  )
  return query.size === 0 ? path : `${path}?${query}`
}

function requestOf(form: HTMLFormElement): RequestInit {
  const body = byId<HTMLTextAreaElement>('body')
  const given = fields(form, 'header').filter(({ value }) => value.trim() !== '')
  const headers = new Headers(given.map(({ name, value }) => [name, value.trim()]))
  headers.set('Accept', 'application/json')
  const method = form.dataset['method'] ?? 'GET'
  // The cookies of the console are not sent: a call is made by what stands in the form.
  const request: RequestInit = { method, headers, credentials: 'omit', redirect: 'error' }
  if (body === null) return request
  headers.set('Content-Type', body.dataset['type'] ?? 'application/json')
  return { ...request, body: body.value }
}

function shownAnswer(answer: Response, text: string, ms: number): HTMLElement[] {
  const status = made('p', `${answer.status} ${answer.statusText} in ${ms} ms`)
  status.className = 'status'
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const value = answer.headers.get(name)
    return value === null ? [] : [`${name}: ${value}`]
  })
  const body = made('pre')
  body.tabIndex = 0
  body.setAttribute('role', 'region')
  body.setAttribute('aria-label', 'Body of the answer')
  body.append(made('code', `${headers.join('\n')}\n\n${readable(text)}`))
  return [status, body]
}

function readable(text: string): string {
  const cut = text.length > BYTES_MAX ? `${text.slice(0, BYTES_MAX)} …` : text
  try {
    return text.length > BYTES_MAX ? cut : JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return cut
  }
}
