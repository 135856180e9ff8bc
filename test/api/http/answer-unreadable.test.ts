import { createConnection } from 'node:net'
import { text } from 'node:stream/consumers'
import express from 'express'
import { afterAll, beforeAll, expect } from 'vitest'
import { answerUnreadable } from '../../../api/http/answer-unreadable.ts'
import { type Listener, listen } from '../../../api/http/listen.ts'
import { verifies } from '../../verifies.ts'

let listener: Listener
beforeAll(async () => {
  listener = await listen(express(), '127.0.0.1', 0, {
    unreadable: answerUnreadable('https://rails.example'),
  })
})
afterAll(() => listener?.stop(100))

verifies(
  'pipeline.problem-json',
  'a query that is longer than a head may be is refused as problem+json',
  async () => {
    const { status, headers, problem } = await send(
      `GET /?q=${'x'.repeat(100_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    )
    expect(status).toBe(400)
    expect(headers).toMatch(/^content-type: application\/problem\+json$/im)
    expect(headers).toMatch(/^cache-control: no-store$/im)
    expect(headers).toMatch(new RegExp(`^x-request-id: ${problem['request_id']}$`, 'im'))
    expect(problem).toMatchObject({
      code: 'invalid_request',
      status: 400,
      money_moved: 'no',
      retryable: false,
    })
    expect(problem['type']).toBe('https://rails.example/problems/invalid_request')
  },
)

verifies(
  'pipeline.problem-json',
  'bytes that are no HTTP are refused as problem+json',
  async () => {
    for (const bytes of [
      '\x16\x03\x01\x02\x00\x01',
      'GET / HTTP/1.1\r\nHost: a\r\nBad\0: b\r\n\r\n',
    ]) {
      const { status, problem } = await send(bytes)
      expect([status, problem['code']]).toEqual([400, 'invalid_request'])
    }
  },
)

/** What comes back for these bytes until the service ends the connection. */
async function send(
  bytes: string,
): Promise<{ status: number; headers: string; problem: Record<string, unknown> }> {
  const socket = createConnection(listener.port, '127.0.0.1')
  socket.write(bytes, 'latin1')
  const answer = await text(socket)
  socket.destroy()
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return {
    status: Number(head.split(' ')[1]),
    headers: head.replaceAll('\r', ''),
    problem: JSON.parse(body),
  }
}
