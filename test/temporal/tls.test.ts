import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { NativeConnection } from '@temporalio/worker'
import { afterAll, beforeAll, expect } from 'vitest'
import { assertTemporal } from '../../activities/config/temporal-settings.ts'
import { createTemporalClient, serverOptions } from '../../temporal/connection.ts'
import { namespaceExists } from '../../temporal/readiness.ts'
import { closeAll } from '../support/close-all.ts'
import { startTemporal } from '../support/temporal.ts'
import { verifies } from '../verifies.ts'

const folder = mkdtempSync(join(tmpdir(), 'temporal-tls-'))
const file = (name: string) => join(folder, name)
const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** An authority of its own, or a certificate that it signed. */
function certify(name: string, signedBy?: string): void {
  const made = ['-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '2']
  const names = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=DNS:localhost']
  const signer = ['-extensions', 'usr_cert', '-CA', `${signedBy}.pem`, '-CAkey', `${signedBy}.key`]
  const by = signedBy === undefined ? [] : signer
  openssl('req', '-x509', ...KEY, ...made, ...names, ...by)
}

const closers: (() => Promise<void>)[] = []
let port = 0
let passed = 0

/** A frontend that takes connections over TLS alone, and only of clients with a certificate of its authority. */
beforeAll(async () => {
  for (const authority of ['authority', 'stranger']) certify(authority)
  certify('server', 'authority')
  certify('client', 'authority')
  certify('forged', 'stranger')
  const temporal = await startTemporal()
  closers.push(temporal.stop)
  const [host = '', plain = ''] = temporal.address.split(':')
  const pem = (name: string) => readFileSync(file(name))
  const proxy = createServer(
    {
      key: pem('server.key'),
      cert: pem('server.pem'),
      ca: pem('authority.pem'),
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (socket) => {
      passed += 1
      const inner = connect(Number(plain), host)
      socket.on('error', () => inner.destroy())
      inner.on('error', () => socket.destroy())
      socket.pipe(inner).pipe(socket)
    },
  )
  proxy.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  port = (proxy.address() as AddressInfo).port
  closers.unshift(async () => void proxy.close())
})
afterAll(async () => {
  await closeAll(closers)
  rmSync(folder, { recursive: true, force: true })
})

const settings = (client: string, authority = 'authority') => ({
  TEMPORAL_ADDRESS: `localhost:${port}`,
  TEMPORAL_NAMESPACE: 'default',
  TEMPORAL_API_KEY: '',
  TEMPORAL_TLS: 'off' as const,
  TEMPORAL_TLS_CA_FILE: file(`${authority}.pem`),
  TEMPORAL_TLS_CERT_FILE: client === '' ? '' : file(`${client}.pem`),
  TEMPORAL_TLS_KEY_FILE: client === '' ? '' : file(`${client}.key`),
})
type Settings = ReturnType<typeof settings>

/** Whether a client and a worker's connection reach the frontend with these settings. */
async function reaches(where: Settings): Promise<[boolean, boolean]> {
  const { client, close } = createTemporalClient(where)
  const asked = namespaceExists(client, 10_000).then(
    (exists) => exists,
    () => false,
  )
  const native = NativeConnection.connect(serverOptions(where)).then(
    async (connection) => {
      await connection.close()
      return true
    },
    () => false,
  )
  const reached = await Promise.all([asked, native])
  await close()
  return reached
}

verifies(
  'stack.temporal-tls',
  'only a client certificate of its authority opens the frontend',
  async () => {
    expect(await reaches(settings('client'))).toEqual([true, true])
    const connections = passed
    expect(connections).toBeGreaterThan(0)
    expect(await reaches(settings(''))).toEqual([false, false])
    expect(await reaches(settings('forged'))).toEqual([false, false])
    expect(await reaches(settings('client', 'stranger'))).toEqual([false, false])
    expect(passed).toBe(connections)
  },
)

verifies('stack.temporal-tls', 'a certificate is given with its key', () => {
  const both = { TEMPORAL_TLS_CERT_FILE: 'a.pem', TEMPORAL_TLS_KEY_FILE: 'a.key' }
  expect(() => assertTemporal(both)).not.toThrow()
  for (const name of ['TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE'] as const)
    expect(() => assertTemporal({ ...both, [name]: '' })).toThrow(/given together/)
})
