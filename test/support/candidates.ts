import type { RequestListener } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { createOutgoing, type OutgoingSettings } from '../../activities/http/outgoing.ts'
import type { Database } from '../../activities/store/schema/schema.ts'
import { Candidates } from '../../api/services/resolver/candidates.ts'
import { startTlsServer, testAuthority } from './tls-server.ts'

const PUBLIC = '93.184.215.14'
export const OWN_HOST = 'api.rails.example'

/** The URL of a service; only this host has a certificate. */
export const urlOf = (path: string) => `https://hooks.receiver.example/${path}`

/** An OpenAPI document of one call. */
export const openapi = (more: object = {}) =>
  JSON.stringify({
    openapi: '3.1.0',
    info: { title: 'Translation' },
    paths: { '/translate': { post: { summary: 'Translates a text.' } } },
    ...more,
  })

export const answerJson =
  (body: string, type = 'application/json'): RequestListener =>
  (_request, response) => {
    response.setHeader('content-type', type)
    response.end(body)
  }

/** The inspection of services over a real TLS server, which answers as `listener` does. */
export async function startCandidates(
  db: Kysely<Database>,
  listener: RequestListener = answerJson(openapi()),
  settings: Partial<OutgoingSettings> = {},
) {
  let requests = 0
  const server = await startTlsServer((request, response) => {
    requests += 1
    listener(request, response)
  })
  const send = createOutgoing({
    ownHosts: [OWN_HOST],
    exempt: [],
    ca: testAuthority,
    resolve: async () => [PUBLIC],
    reach: () => ({ host: '127.0.0.1', port: server.port }),
    ...settings,
  })
  const changes = { wait: () => sleep(20, true) }
  const candidates = new Candidates({ db, changes, send, ownHosts: [OWN_HOST] })
  return {
    observe: (path: string, more: object = {}, agentId?: string) =>
      candidates.observe(
        { name: 'Translation', url: urlOf(path), protocols: ['http'], ...more },
        agentId,
      ),
    requests: () => requests,
    connections: server.connections,
    stop: server.stop,
  }
}
