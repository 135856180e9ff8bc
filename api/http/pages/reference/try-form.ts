import { type Html, html } from '#domain/core/html.ts'
import { exampleOf } from '../../../examples/index.ts'
import { hasBody } from '../../../http-method.ts'
import { type AnyOperation, isPlain, takesPayment, waysOf } from '../../../operation.ts'
import { bodyOfExample } from '../../openapi-examples.ts'
import { namesIn } from '../../operation-groups.ts'
import type { Reference } from './entry.ts'

/** A form that sends the call to this host; its script does, so without scripts there is a note instead. */
export function tryForm(operation: AnyOperation, { environment }: Reference): Html {
  const { id, http } = operation
  const warning =
    environment === 'local'
      ? 'The call goes to this host, which runs on a local chain: no real funds move.'
      : 'The call goes to this host and counts: it can move real funds.'
  return html`<p>${warning}</p>
<noscript><p>The form needs JavaScript; the samples above do not.</p></noscript>
<form id="try-form" hidden autocomplete="off" data-operation="${id}" data-method="${http.method}" data-path="${http.path}">
${placeFields(operation)}
${headerFields(operation)}
${bodyField(operation)}
<p class="acts"><button type="submit">Send</button> <button type="button" id="forget">Forget the credentials</button></p>
</form>
<div id="answer-of-try" aria-live="polite"></div>`
}

/** The fields for the path and the query. */
function placeFields({ id, http, input, stream }: AnyOperation): Html {
  const named = namesIn(http.path)
  const given = exampleOf({ id }).input
  const inQuery = !hasBody(http.method) || stream !== undefined
  const names = Object.keys(input.shape ?? given).filter((name) => !named.includes(name))
  const fields = [
    ...named.map((name) => field(name, 'path', String(given[name] ?? ''), name === 'token')),
    ...(inQuery ? names : []).map((name) => field(name, 'query', String(given[name] ?? ''), false)),
  ]
  if (fields.length === 0) return html``
  return html`<fieldset><legend>Path and query</legend>${fields}</fieldset>`
}

/** A labelled line of input; what is secret is not shown, and is kept for the other forms of this tab. */
function field(name: string, place: string, value: string, secret: boolean): Html {
  const id = `${place}-${name.toLowerCase()}`
  const type = secret ? html`type="password" data-secret="${name}"` : html`type="text"`
  return html`<label for="${id}">${name}</label><input id="${id}" ${type} name="${name}" data-place="${place}" value="${value}" spellcheck="false" autocapitalize="off">
`
}

/** The headers by which the callers of this operation present themselves. */
function headerFields(operation: AnyOperation): Html {
  const { statusToken, http, next, recalledBy } = operation
  const ways = waysOf(operation)
  const keeps = ways.includes('public') && !isPlain(operation)
  const taken = (names: readonly string[], when: boolean) => (when ? names : [])
  const secrets = [
    ...taken(
      ['Authorization'],
      operation.examines === true || keeps || ways.includes('agent') || ways.includes('operator'),
    ),
    ...taken(['X-Service-Wallet-Proof'], ways.includes('wallet')),
    ...taken(['X-Status-Token'], ways.includes('status') && !http.path.includes('{token}')),
    ...taken(['X-Agent-Signature'], statusToken?.signed === true || recalledBy !== undefined),
    ...taken(['PAYMENT-SIGNATURE'], takesPayment(operation)),
    ...taken(['Idempotency-Secret'], keeps),
    ...taken(['webhook-id', 'webhook-timestamp', 'webhook-signature'], signs(operation)),
  ]
  const fields = [
    ...secrets.map((name) => field(name, 'header', '', true)),
    ...taken(['Prefer'], next !== undefined).map((name) => field(name, 'header', '', false)),
  ]
  if (fields.length === 0) return html``
  return html`<fieldset><legend>Headers</legend>
<p>Credentials stay in this tab, and are gone when it is closed.${
    ways.includes('wallet')
      ? html` A proof is for one body: <code>npx agent-rails prove ${http.path} BODY</code> prints one for the local stack.`
      : ''
  }</p>
${fields}</fieldset>`
}

/** Whether the bytes of a call are signed as a webhook is. */
const signs = (operation: AnyOperation): boolean =>
  waysOf(operation).includes('provider') || operation.errors.includes('webhook_signature_invalid')

function bodyField(operation: AnyOperation): Html {
  const { http, stream } = operation
  if (!hasBody(http.method)) return html``
  const text =
    stream === undefined
      ? JSON.stringify(bodyOfExample(operation), null, 2)
      : (exampleOf(operation).bytes ?? '')
  const lines = Math.min(text.split('\n').length + 1, 18)
  const type = stream?.mediaTypes[0] ?? 'application/json'
  return html`<label for="body">Body (${type})</label>
<textarea id="body" rows="${lines}" spellcheck="false" data-type="${type}">
${text}</textarea>`
}
