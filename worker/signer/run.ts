import type { Logger } from 'pino'
import type { SignerConfig } from '../../activities/config/signer-config.ts'
import type { Modules } from '../../activities/signer/modules/module.ts'
import { openModules } from '../../activities/signer/modules/open.ts'
import { assertUnserved, type Methods, serveSigner } from '../../activities/signer/serve.ts'
import { ringMethods } from './rings.ts'
import { walletMethods } from './wallets.ts'

type MakeMethods = (config: SignerConfig, modules: Modules) => Promise<Methods>

/** Serves the sockets of the configuration until a signal ends the process; throws when a key file or a module cannot be used. */
export async function runSigner(config: SignerConfig, log: Logger): Promise<void> {
  const sockets: [name: string, path: string, methods: MakeMethods][] = [
    ['rings', config.SIGNER_SOCKET, ringMethods],
    ['wallets', config.SIGNER_WALLETS_SOCKET, walletMethods],
  ]
  const named = sockets.filter(([, path]) => path !== '')
  if (named.length === 0)
    throw new Error('configuration: SIGNER_SOCKET or SIGNER_WALLETS_SOCKET must name a socket')
  // Before the journals are opened: they belong to the process that opened them last.
  for (const [, path] of named) await assertUnserved(path)
  const modules = await openModules(config)
  const servers = []
  for (const [name, path, methods] of named) {
    const onRefusal = (method: string, error: Error) =>
      log.warn({ method, reason: error.message }, 'a request was refused')
    servers.push(await serveSigner(path, await methods(config, modules), onRefusal))
    log.info({ socket: path }, `the signer serves the ${name}`)
  }
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve())
  })
  for (const server of servers) await server.close()
  modules.close()
}
