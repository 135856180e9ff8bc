const at = (id) => document.getElementById(id)
const steps = ['create', 'authorize', 'execute', 'final']
let before = { worker: { pid: null, kills: 0 }, payment: null }

for (const act of ['pay', 'kill'])
  at(act).addEventListener('click', () => fetch(act, { method: 'POST' }))
new EventSource('changes').addEventListener('message', ({ data }) => show(JSON.parse(data)))

function show(now) {
  const { worker, payment } = now
  at('worker').textContent = worker.pid === null ? 'dead' : `process ${worker.pid}`
  at('worker').className = worker.pid === null ? 'bad' : 'good'
  at('kills').textContent = worker.kills === 1 ? 'once' : `${worker.kills} times`
  at('kill').disabled = worker.pid === null
  at('pay').disabled = payment !== null && !['ended', 'failed'].includes(payment.step)
  if (payment !== null) showPayment(payment)
  for (const line of linesOf(before, now)) log(line)
  before = now
}

function showPayment(payment) {
  const reached = payment.step === 'ended' ? steps.length : steps.indexOf(payment.step)
  for (const item of at('steps').children) {
    const place = steps.indexOf(item.dataset.step)
    item.classList.toggle('done', place < reached)
    item.classList.toggle('doing', place === reached)
  }
  at('transfers').textContent = payment.transfers
  at('transfers').className = payment.transfers === 1 ? 'good' : ''
  at('received').textContent = `${payment.received_usdc} USDC`
  at('recipient').textContent = payment.recipient
  at('transaction').textContent = payment.transaction ?? '–'
  at('payout').replaceChildren(
    payment.workflow_url === null ? '–' : link(payment.workflow_url, payment.payout_id),
  )
  at('receipts').replaceChildren(
    ...payment.receipt_urls.flatMap((url, index) => [link(url, `receipt ${index + 1}`), ' ']),
    payment.receipt_urls.length === 0 ? '–' : '',
  )
  at('error').hidden = payment.error === null
  at('error').textContent = payment.error ?? ''
}

/** What is new, one sentence each. */
function linesOf(was, { worker, payment }) {
  const lines = []
  if (worker.kills > was.worker.kills) lines.push('The worker was killed.')
  if (worker.pid !== null && was.worker.pid !== null && worker.pid !== was.worker.pid)
    lines.push(`Another worker runs: process ${worker.pid}.`)
  if (worker.pid !== null && was.worker.pid === null)
    lines.push(`The worker runs: process ${worker.pid}.`)
  if (payment === null) return lines
  const isNew = payment.recipient !== was.payment?.recipient
  if (isNew) lines.push(`A payment to ${payment.recipient} began.`)
  if (payment.step !== (isNew ? 'create' : was.payment.step)) lines.push(sentences[payment.step])
  if (payment.transfers > (isNew ? 0 : was.payment.transfers))
    lines.push(`Transfers to the recipient on the chain: ${payment.transfers}.`)
  return lines
}

const sentences = {
  authorize: 'The payout is created.',
  execute: 'The payout is authorized.',
  final: 'The payout is executed.',
  ended: 'The transfer is final.',
  failed: 'The payment was refused.',
}

function log(line) {
  const item = document.createElement('li')
  const time = document.createElement('time')
  time.textContent = new Date().toLocaleTimeString()
  item.append(time, ` ${line}`)
  at('log').prepend(item)
}

function link(href, text) {
  const anchor = document.createElement('a')
  anchor.href = href
  anchor.textContent = text
  anchor.rel = 'noreferrer'
  anchor.target = '_blank'
  return anchor
}
