import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { wordlist } from '@scure/bip39/wordlists/english'

type Settings = { url: string; connections: number }

const { url, connections } = workerData as Settings
const agent = new Agent({ keepAlive: true, maxSockets: connections, localAddress: '127.0.0.2' })
const short = wordlist.filter(({ length }) => length === 3)
const words = Array.from({ length: 16_000 }, (_, at) => short[(at * 7) % short.length]).join(' ')
/** Each of them was costly once: words of recovery phrases, deep JSON, guessed keys, and long lists of webhook signatures. */
const attacks: { path: string; body: string; headers: Record<string, string> }[] = [
  {
    path: '/api/agent-use',
    body: JSON.stringify({ mode: 'start_agent_run', input: { words } }),
    headers: {},
  },
  { path: '/api/work-orders', body: JSON.stringify({ objective: words }), headers: {} },
  { path: '/api/agents/quote', body: '['.repeat(60_000), headers: {} },
  {
    path: '/api/agent-use',
    body: '{}',
    headers: { authorization: `Bearer ag_${'0'.repeat(16)}_${'a'.repeat(64)}` },
  },
  {
    path: '/api/agent-paid-callback-completion',
    body: '{}',
    headers: {
      'webhook-id': 'a',
      'webhook-timestamp': '1',
      'webhook-signature': 'v1a,AAAA '.repeat(1_000).trim(),
    },
  },
]

let answered = 0
parentPort?.on('message', () => parentPort?.postMessage(answered))
for (let connection = 0; connection < connections; connection++) send(connection)

function send(count: number): void {
  const attack = attacks[count % attacks.length]
  if (attack === undefined) return
  const { path, body, headers } = attack
  const next = () => {
    answered++
    send(count + 1)
  }
  const sent = request(`${url}${path}`, {
    agent,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
  })
  sent.on('response', (response) => response.resume().on('end', next).on('error', next))
  sent.on('error', () => setTimeout(next, 100))
  sent.end(body)
}
