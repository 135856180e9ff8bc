// First: schemas ask when they are made.
import './no-eval.ts'
import { jsonOf, textOf } from '#domain/core/strict-json.ts'
import { openFile } from '#domain/verification/file.ts'
import { readKeyDocument } from '#domain/verification/key-document.ts'
import { withLogState } from '#domain/verification/log-state.ts'
import { unread, type Verdict } from '#domain/verification/verdict.ts'
import { isZip, unzipPackage } from '../../../activities/runs/unzip-package.ts'
import { settleByWebCrypto } from './settle-by-webcrypto.ts'
import { showProblem, showVerdict } from './show.ts'

const BYTES_MAX = 256 * 1024 * 1024

const byId = <Kind extends HTMLElement>(id: string): Kind => document.getElementById(id) as Kind

/** One of the two things that the reader gives: a file that was chosen or dropped, or a text that was pasted. */
function source(name: string): () => Promise<Uint8Array> {
  const text = byId<HTMLTextAreaElement>(`${name}-text`)
  const input = byId<HTMLInputElement>(`${name}-file`)
  const drop = byId(`${name}-drop`)
  drop.addEventListener('dragover', (event) => {
    event.preventDefault()
    drop.classList.add('over')
  })
  drop.addEventListener('dragleave', () => drop.classList.remove('over'))
  drop.addEventListener('drop', (event) => {
    event.preventDefault()
    drop.classList.remove('over')
    if (event.dataTransfer === null) return
    input.files = event.dataTransfer.files
    text.value = ''
  })
  input.addEventListener('change', () => {
    text.value = ''
  })
  text.addEventListener('input', () => {
    input.value = ''
  })
  return async () => {
    const file = input.files?.[0]
    if (file === undefined) return new TextEncoder().encode(text.value)
    if (file.size > BYTES_MAX) throw new Error(`The file has more than ${BYTES_MAX} bytes.`)
    return new Uint8Array(await file.arrayBuffer())
  }
}

const artifact = source('artifact')
const keyDocument = source('keys')

async function verify(): Promise<Verdict> {
  const [bytes, saved] = await Promise.all([artifact(), keyDocument()])
  if (bytes.length === 0) throw new Error('There is nothing to verify: choose a file or paste one.')
  const keys = saved.length === 0 ? undefined : readKeyDocument(jsonOf(textOf(saved)))
  if (saved.length > 0 && keys === undefined)
    throw new Error('The key document is none of this service’s forms.')
  const content = isZip(bytes) ? unzipPackage(bytes) : textOf(bytes)
  if (content === undefined) return unread(null, 'malformed')
  return settleByWebCrypto(openFile({ content, keys, at: Date.now() / 1000 }))
}

byId('verify').addEventListener('click', () => {
  verify()
    .then((verdict) => showVerdict(withLogState(verdict)))
    .catch(showProblem)
})

byId('load-keys').addEventListener('click', async () => {
  const answer = await fetch('/.well-known/jwks.json').catch(() => undefined)
  if (answer?.ok !== true) return showProblem(new Error('The keys cannot be loaded.'))
  byId<HTMLTextAreaElement>('keys-text').value = JSON.stringify(await answer.json(), null, 1)
  byId<HTMLInputElement>('keys-file').value = ''
  byId('keys-note').textContent = 'These are the keys that the service publishes now.'
})
