import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { packageRoot } from '../../activities/config/package-root.ts'
import type { Demo } from './demo-run.ts'
import type { Part } from './part.ts'
import { payOnce, receivedOnChain, type ShownPayment } from './shown-payment.ts'

const HOST = '127.0.0.1'
const LOOK_EVERY_MS = 300
const folder = join(packageRoot, 'worker', 'stack', 'demo-page')
const files = new Map<string, readonly [path: string, type: string]>([
  ['', ['index.html', 'text/html; charset=utf-8']],
  ['page.js', ['page.js', 'text/javascript; charset=utf-8']],
  ['page.css', ['page.css', 'text/css; charset=utf-8']],
])
const headers = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
}

type Received = Awaited<ReturnType<typeof receivedOnChain>>
/** What the page shows; sent again whenever it changes. */
export type Shown = {
  worker: { pid: number | null; kills: number }
  payment: (ShownPayment & Received) | null
}

/**
 * A page on this machine, at an address that cannot be guessed, which starts one payment at a time and kills the worker as often
 * as it is asked to. Answers its address; it is open until the process ends.
 */
export async function openDemoPage(demo: Demo, worker: Part): Promise<string> {
  const secret = randomBytes(16).toString('base64url')
  const show = openShow(demo, worker)
  const acts = new Map([
    ['pay', show.pay],
    ['kill', show.kill],
  ])
  let origin = ''
  const server = createServer((request, response) => {
    const end = (status: number) => void response.writeHead(status, headers).end()
    const [, token, name = '', ...more] = (request.url ?? '').split('/')
    if (`http://${request.headers.host}` !== origin) return end(421)
    if (token !== secret || more.length > 0) return end(404)
    if (request.method === 'POST') {
      if (request.headers.origin !== origin) return end(403)
      const act = acts.get(name)
      if (act === undefined) return end(404)
      return end(act() ? 202 : 409)
    }
    if (request.method !== 'GET') return end(405)
    if (name === 'changes') return show.follow(request, response)
    const file = files.get(name)
    if (file === undefined) return end(404)
    const [path, type] = file
    response
      .writeHead(200, { ...headers, 'Content-Type': type })
      .end(readFileSync(join(folder, path)))
  })
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  origin = `http://${HOST}:${(server.address() as AddressInfo).port}`
  return `${origin}/${secret}/`
}

/** The payment and the worker that the page shows. */
function openShow(demo: Demo, worker: Part) {
  const followers = new Set<ServerResponse>()
  let kills = 0
  let current: ReturnType<typeof payOnce> | undefined
  let isPaying = false
  let received: Received = { transfers: 0, received_usdc: '0' }
  let last = ''
  const look = async () => {
    const payment = current && { ...current.payment }
    if (payment !== undefined)
      received = await receivedOnChain(demo.stack, payment.recipient).catch(() => received)
    const shown: Shown = {
      worker: { pid: worker.pid ?? null, kills },
      payment: payment === undefined ? null : { ...payment, ...received },
    }
    const text = JSON.stringify(shown)
    if (text === last) return
    last = text
    for (const follower of followers) follower.write(`data: ${text}\n\n`)
  }
  void (async () => {
    for (;;) {
      await look()
      await pause(LOOK_EVERY_MS)
    }
  })()
  return {
    /** False while another payment is under way. */
    pay: () => {
      if (isPaying) return false
      isPaying = true
      received = { transfers: 0, received_usdc: '0' }
      current = payOnce(demo)
      void current.ended.then(() => {
        isPaying = false
      })
      return true
    },
    /** False while the worker is dead. */
    kill: () => {
      if (worker.pid === undefined) return false
      kills += 1
      void worker.kill('SIGKILL')
      return true
    },
    follow: (request: IncomingMessage, response: ServerResponse) => {
      response.writeHead(200, { ...headers, 'Content-Type': 'text/event-stream' })
      if (last !== '') response.write(`data: ${last}\n\n`)
      followers.add(response)
      request.on('close', () => followers.delete(response))
    },
  }
}
