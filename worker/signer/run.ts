import type { Logger } from 'pino'
import type { SignerConfig } from '../../activities/config/signer-config.ts'
import type { Modules } from '../../activities/signer/modules/module.ts'
import { openModules } from '../../activities/signer/modules/open.ts'
import { assertUnserved, type Methods, serveSigner } from '../../activities/signer/serve.ts'
import { ringMethods } from './rings.ts'
import { walletMethods } from './wallets.ts'

/** Serves the sockets of the configuration until a signal ends the process; throws when a key file or a module cannot be used. */
export async function runSigner(config: SignerConfig, log: Logger): Promise<void> {
  const { SIGNER_SOCKET, SIGNER_WORKER_SOCKET, SIGNER_WALLETS_SOCKET } = config
  const all = [SIGNER_SOCKET, SIGNER_WORKER_SOCKET, SIGNER_WALLETS_SOCKET]
  const paths = all.filter((path) => path !== '')
  if (paths.length === 0)
    throw new Error('configuration: no socket is named for the signer to serve')
  // Before the journals are opened: they belong to the process that opened them last.
  for (const path of paths) await assertUnserved(path)
  const modules = await openModules(config)
  const servers = []
  for (const [name, path, methods] of await served(config, modules)) {
    const onRefusal = (method: string, error: Error) =>
      log.warn({ method, reason: error.message }, 'a request was refused')
    servers.push(await serveSigner(path, methods, onRefusal))
    log.info({ socket: path }, `the signer serves the ${name}`)
  }
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  for (const server of servers) await server.close()
  modules.close()
}

/** The sockets that are named, with what each serves; both sockets of the rings share their keys and the journal of the log. */
async function served(config: SignerConfig, modules: Modules) {
  const { SIGNER_SOCKET, SIGNER_WORKER_SOCKET, SIGNER_WALLETS_SOCKET } = config
  const sockets: [name: string, path: string, methods: Methods][] = []
  if (SIGNER_SOCKET !== '' || SIGNER_WORKER_SOCKET !== '') {
    const rings = await ringMethods(config, modules)
    sockets.push(['rings of the API', SIGNER_SOCKET, rings.api])
    sockets.push(['rings of workers', SIGNER_WORKER_SOCKET, rings.worker])
  }
  if (SIGNER_WALLETS_SOCKET !== '')
    sockets.push(['wallets', SIGNER_WALLETS_SOCKET, await walletMethods(config, modules)])
  return sockets.filter(([, path]) => path !== '')
}
