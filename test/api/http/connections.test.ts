import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import express from 'express'
import { afterAll, beforeAll, expect } from 'vitest'
import { admit } from '../../../api/http/admit.ts'
import { type Listener, listen } from '../../../api/http/listen.ts'
import { groupByPath } from '../../../api/http/operation-groups.ts'
import { readBody } from '../../../api/http/read-body.ts'
import { operations } from '../../../api/operations/index.ts'
import { unlimited } from '../../support/unlimited.ts'
import { verifies } from '../../verifies.ts'

const PER_NETWORK = 100
const HEAD = 'POST /api/agents/quote HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n'
let listener: Listener

beforeAll(async () => {
  const app = express()
  const [group] = groupByPath(operations.filter(({ id }) => id === 'agent-quote'))
  if (group === undefined) throw new Error('there is no such operation')
  app.post(group.path, admit(group), readBody(group, unlimited), (request, response) => {
    response.json({ bytes: Buffer.isBuffer(request.body) ? request.body.length : 0 })
  })
  listener = await listen(app, '127.0.0.1', 0, { perNetwork: PER_NETWORK })
})
afterAll(() => listener?.stop(100))

/** A connection from another address of this machine. */
const connectFrom = (localAddress: string): Socket =>
  createConnection({ host: '127.0.0.1', port: listener.port, localAddress }).on(
    'error',
    () => undefined,
  )

async function quote(body: string): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${listener.port}/api/agents/quote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  return answer.json()
}

verifies(
  'admission.connections',
  '2,000 idle connections and slow bodies leave others their answers',
  async () => {
    let ended = 0
    const sockets: Socket[] = []
    const begin = async (index: number) => {
      const socket = connectFrom('127.0.2.2').resume()
      sockets.push(socket)
      socket.once('close', () => {
        ended += 1
      })
      await Promise.race([once(socket, 'connect'), once(socket, 'close')])
      if (index % 2 === 0) socket.write(`${HEAD}Content-Length: 20\r\n\r\n{`)
    }
    // More at once than the queue of the system holds would be lost before the listener sees them.
    for (let batch = 0; batch < 20; batch += 1)
      await Promise.all(Array.from({ length: 100 }, (_, index) => begin(index)))
    const answers = await Promise.all(Array.from({ length: 50 }, () => quote('{}')))
    expect(answers).toEqual(Array.from({ length: 50 }, () => ({ bytes: 2 })))
    await expect.poll(() => ended, { timeout: 120_000 }).toBe(2_000 - PER_NETWORK)
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => ended, { timeout: 120_000 }).toBe(2_000)
    const again = connectFrom('127.0.2.2')
    again.write(`${HEAD}Content-Length: 2\r\nConnection: close\r\n\r\n{}`)
    const [answered] = await once(again, 'data')
    expect(String(answered)).toContain('HTTP/1.1 200')
    again.destroy()
  },
)
