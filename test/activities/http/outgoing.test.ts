import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect } from 'vitest'
import { createOutgoing, type OutgoingSettings } from '../../../activities/http/outgoing.ts'
import { within } from '../../support/slowness.ts'
import { startTlsServer, testAuthority } from '../../support/tls-server.ts'
import { verifies } from '../../verifies.ts'
import { carriers, insideV4, insideV6, writings } from './address-forms.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const PUBLIC = '93.184.215.14'
const url = 'https://hooks.receiver.example/in'
const ok: RequestListener = (_request, response) => response.end('taken')

async function serve(
  listener: RequestListener = ok,
  certificate?: Parameters<typeof startTlsServer>[1],
) {
  const server = await startTlsServer(listener, certificate)
  closers.push(server.stop)
  const asked: string[] = []
  const reached: string[] = []
  const outgoing = (more: Partial<OutgoingSettings> = {}) =>
    createOutgoing({
      ownHosts: ['api.rails.example'],
      exempt: [],
      ca: testAuthority,
      resolve: async (name) => {
        asked.push(name)
        return [PUBLIC]
      },
      reach: (address) => {
        reached.push(address)
        return { host: '127.0.0.1', port: server.port }
      },
      ...more,
    })
  return { server, asked, reached, outgoing }
}
const get = (target: string) => ({ url: target, method: 'GET' as const })

verifies(
  'outgoing.request',
  'a POST goes over TLS to the address that its name resolved to once',
  async () => {
    const seen: {
      host: string | undefined
      type: string | undefined
      body: string
      path: string | undefined
    }[] = []
    const { server, asked, reached, outgoing } = await serve(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      seen.push({
        host: request.headers.host,
        type: request.headers['content-type'],
        body,
        path: request.url,
      })
      response.statusCode = 202
      response.end('taken')
    })
    const sent = await outgoing()({
      url: `${url}?a=1#part`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"ä":1}',
    })
    expect(sent).toEqual({ ok: true, status: 202, body: Buffer.from('taken') })
    expect(seen).toEqual([
      {
        host: 'hooks.receiver.example',
        type: 'application/json',
        body: '{"ä":1}',
        path: '/in?a=1',
      },
    ])
    expect({ asked, reached, names: server.names }).toEqual({
      asked: ['hooks.receiver.example'],
      reached: [PUBLIC],
      names: ['hooks.receiver.example'],
    })
  },
)

verifies(
  'outgoing.addresses',
  'a name with an internal address is never connected to',
  async () => {
    const { server, reached, outgoing } = await serve()
    const inside = [...insideV4, ...insideV6, ...insideV4.flatMap(carriers)]
    expect(inside.length).toBeGreaterThan(300)
    for (const address of inside) {
      for (const answer of [[address], [PUBLIC, address], [address, PUBLIC]])
        expect(await outgoing({ resolve: async () => answer })(get(url)), address).toMatchObject({
          ok: false,
          reason: 'address_refused',
        })
    }
    expect([reached, server.connections()]).toEqual([[], 0])
  },
)

verifies(
  'outgoing.urls',
  'a host that is ours, no plain name, or has a user or port is refused',
  async () => {
    const { server, asked, outgoing } = await serve()
    const hosts = [
      'user@hooks.receiver.example',
      'hooks.receiver.example:8443',
      'api.rails.example',
      'localhost',
      ...insideV4.flatMap(writings),
    ]
    for (const host of hosts)
      expect(await outgoing()(get(`https://${host}/`)), host).toMatchObject({
        ok: false,
        reason: 'url_refused',
      })
    expect([asked, server.connections()]).toEqual([[], 0])
  },
)

verifies(
  'outgoing.rebinding',
  'a name that changes its answer is reached at the checked address',
  async () => {
    const { reached, outgoing } = await serve()
    let questions = 0
    const resolve = async () => {
      questions += 1
      return questions === 1 ? [PUBLIC] : ['127.0.0.1']
    }
    const send = outgoing({ resolve })
    expect(await send(get(url))).toMatchObject({ ok: true, status: 200 })
    expect([questions, reached]).toEqual([1, [PUBLIC]])
    expect(await send(get(url))).toMatchObject({ ok: false, reason: 'address_refused' })
    expect([questions, reached]).toEqual([2, [PUBLIC]])
  },
)

verifies(
  'outgoing.request',
  'a name without an address differs from failing name servers',
  async () => {
    const { outgoing } = await serve()
    expect(await outgoing({ resolve: async () => [] })(get(url))).toMatchObject({
      reason: 'name_unresolved',
    })
    expect(
      await outgoing({ resolve: () => Promise.reject(new Error('SERVFAIL')) })(get(url)),
    ).toMatchObject({
      reason: 'name_unresolved',
    })
  },
)

verifies('outgoing.redirects', 'a redirect is an answer and is not followed', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const { server, asked, outgoing } = await serve((_request, response) => {
      response.writeHead(status, { location: 'https://169.254.169.254/latest/meta-data/' }).end()
    })
    expect(await outgoing()(get(url))).toMatchObject({ ok: true, status })
    expect([server.connections(), asked.length]).toEqual([1, 1])
  }
})

verifies(
  'outgoing.certificates',
  'an invalid certificate ends the request before anything is sent',
  async () => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      for (const certificate of ['other', 'expired', 'unknown'] as const) {
        let requests = 0
        const { outgoing } = await serve((_request, response) => {
          requests += 1
          response.end()
        }, certificate)
        expect(await outgoing()(get(url)), certificate).toMatchObject({
          ok: false,
          reason: 'tls_failed',
        })
        expect(requests, certificate).toBe(0)
      }
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
  },
)

verifies('outgoing.bounds', 'a response of 64 KiB is read; one byte more ends it', async () => {
  for (const notified of [true, false]) {
    for (const bytes of [65_536, 65_537]) {
      const { outgoing } = await serve((_request, response) => {
        if (notified) response.setHeader('content-length', String(bytes))
        response.end(Buffer.alloc(bytes))
      })
      const sent = await outgoing()(get(url))
      if (bytes === 65_536) expect(sent.ok && sent.body.length).toBe(bytes)
      else expect(sent).toMatchObject({ reason: 'answer_too_large' })
    }
  }
})

verifies(
  'outgoing.bounds',
  'an answer without end is left after 64 KiB, and its connection closed',
  async () => {
    let closed = false
    const { outgoing } = await serve((_request, response) => {
      const more = () => void (response.writable && response.write(Buffer.alloc(16_384), more))
      response.once('close', () => {
        closed = true
      })
      more()
    })
    expect(await outgoing()(get(url))).toMatchObject({ reason: 'answer_too_large' })
    await expect.poll(() => closed).toBe(true)
  },
)

verifies(
  'outgoing.bounds',
  'slow names, slow headers and slow bodies all reach the time limit',
  async () => {
    const timeoutMs = 250
    const never = await serve()
    expect(
      await never.outgoing({ timeoutMs, resolve: () => new Promise(() => undefined) })(get(url)),
    ).toMatchObject({
      reason: 'timeout',
    })
    const silent = await serve(() => undefined)
    expect(await silent.outgoing({ timeoutMs })(get(url))).toMatchObject({ reason: 'timeout' })
    const interim = await serve(
      (_request, response) =>
        void setInterval(() => response.writable && response.writeProcessing(), 20).unref(),
    )
    expect(await interim.outgoing({ timeoutMs })(get(url))).toMatchObject({ reason: 'timeout' })
    const trickle = await serve(
      (_request, response) =>
        void setInterval(() => response.writable && response.write('x'), 20).unref(),
    )
    const begun = performance.now()
    expect(await trickle.outgoing({ timeoutMs })(get(url))).toMatchObject({ reason: 'timeout' })
    expect(performance.now() - begun).toBeLessThan(within(10_000))
  },
)

verifies('outgoing.request', 'a refused, cut or non-HTTP connection is no response', async () => {
  const cut = await serve((request) => void request.socket.destroy())
  expect(await cut.outgoing()(get(url))).toMatchObject({ ok: false, reason: 'connection_failed' })
  const half = await serve((request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half')
    setTimeout(() => request.socket.destroy(), 20)
  })
  expect(await half.outgoing()(get(url))).toMatchObject({
    ok: false,
    reason: 'connection_failed',
  })
  const switched = await serve(
    (request) =>
      void request.socket.end(
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
      ),
  )
  expect(await switched.outgoing()(get(url))).toMatchObject({ ok: false })
  const { port } = await plain(ok)
  expect(
    await cut.outgoing({ reach: () => ({ host: '127.0.0.1', port }) })(get(url)),
  ).toMatchObject({
    ok: false,
    reason: 'tls_failed',
  })
  expect(
    await cut.outgoing({ reach: () => ({ host: '127.0.0.1', port: 1 }) })(get(url)),
  ).toMatchObject({
    ok: false,
    reason: 'connection_failed',
  })
})

verifies(
  'outgoing.allow-list',
  'an exempt origin or page is reached directly, and nothing else',
  async () => {
    const { server, outgoing } = await serve()
    const { port, requests } = await plain((request, response) => {
      if (request.url === '/moved') response.writeHead(302, { location: '/page' }).end()
      else response.end('taken')
    })
    const local = `http://127.0.0.1:${port}`
    const send = outgoing({ exempt: [`https://localhost:${server.port}`, `${local}/page`] })
    expect(await send(get(`https://localhost:${server.port}/any`))).toMatchObject({
      ok: true,
      status: 200,
    })
    expect(await send(get(`${local}/page?receiver=a`))).toMatchObject({ ok: true, status: 200 })
    for (const eventEffects of [
      `${local}/`,
      `${local}/page/x`,
      `${local}/x/../pag`,
      `http://u@127.0.0.1:${port}/page`,
      `http://localhost:${port}/page`,
      `https://localhost:${port}/page`,
    ])
      expect(await send(get(eventEffects)), eventEffects).toMatchObject({ reason: 'url_refused' })
    expect(requests()).toBe(1)
    const moved = outgoing({ exempt: [local] })
    expect(await moved(get(`${local}/moved`))).toMatchObject({ ok: true, status: 302 })
  },
)

async function plain(listener: RequestListener) {
  let count = 0
  const server = createServer((request, response) => {
    count += 1
    listener(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await sleep(0)
  })
  return { port: (server.address() as AddressInfo).port, requests: () => count }
}
