import type { EmbeddedStack } from './embedded.ts'
import { urlOf } from './environment.ts'

/** The table of addresses that a started stack prints. */
export function banner(stack: EmbeddedStack): string {
  const { ports, layout, accounts } = stack
  const rows: [string, string][] = [
    ['base_url', urlOf(ports.base)],
    ['os_url', urlOf(ports.os)],
    ['OpenAPI', `${urlOf(ports.base)}/openapi.json`],
    ['Console', `${urlOf(ports.base)}/console`],
    ['Operator', `${accounts.operator.credential} (signs in to the console)`],
    ['Temporal UI', urlOf(ports.temporalUi)],
    ['Temporal', `127.0.0.1:${ports.temporal}`],
    ['Postgres', `127.0.0.1:${ports.postgres}/agent_rails (password: ${layout.postgresPassword})`],
    ['Chain RPC', `${urlOf(ports.rpc)} (local chain, id 8453: no real funds)`],
    ['Accounts', layout.accounts],
    ['Logs', layout.log('*')],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  return ['', ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`), ''].join('\n')
}
