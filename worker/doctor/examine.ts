import { type Config, loadStackSettings } from '../../activities/config.ts'
import { print, printJson } from '../print.ts'
import { loadSettings } from '../settings.ts'
import { checkChain } from './chain.ts'
import { type Check, reasonOf } from './check.ts'
import { checkKeys } from './keys.ts'
import { checkMachine, checkPorts } from './machine.ts'
import { checkPostgres } from './postgres.ts'
import { checkSwitches } from './switches.ts'
import { checkTemporal } from './temporal.ts'

const CONFIGURE = 'Run npm start for the local stack, or set what docs/operations.md lists.'

/** Looks at everything that a deployment stands on; without a configuration, at what can be seen without one. */
export async function examine(environment?: NodeJS.ProcessEnv): Promise<Check[]> {
  const machine = checkMachine(loadStackSettings(environment).DATA_DIR)
  const { config, problem } = readConfiguration(environment)
  if (config === undefined) return [...(await machine), problem]
  const found = await Promise.all([
    machine,
    checkPorts(config),
    checkKeys(config),
    checkPostgres(config),
    checkTemporal(config),
    checkChain(config),
    checkSwitches(config),
  ])
  return found.flat()
}

/** Prints the examination as a table for people or as JSON `{ok, checks}`; answers whether all is well. */
export async function printReport(json: boolean): Promise<boolean> {
  const checks = await examine()
  const ok = checks.every((check) => check.ok)
  if (json) printJson({ ok, checks })
  else print(tableOf(checks))
  return ok
}

/** The checks as a table, a line each, and below a fault what to do about it. */
export function tableOf(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.flatMap(({ name, ok, detail, remedy }) => {
    const line = `${ok ? (remedy === undefined ? 'ok   ' : 'WARN ') : 'FAULT'}  ${name.padEnd(width)}  ${detail}`
    return remedy === undefined ? [line] : [line, `${' '.repeat(width + 9)}→ ${remedy}`]
  })
  const faults = checks.filter(({ ok }) => !ok).length
  return [...lines, '', faults === 0 ? 'all is well' : `${faults} ${faults === 1 ? 'fault' : 'faults'}`].join('\n')
}

type Configuration = { config: Config; problem?: never } | { config?: never; problem: Check }

function readConfiguration(environment: NodeJS.ProcessEnv | undefined): Configuration {
  try {
    return { config: loadSettings(environment) }
  } catch (error) {
    const detail = error instanceof Error ? error.message.replace(/^configuration: /, '') : reasonOf(error)
    return { problem: { name: 'configuration', ok: false, detail: detail.replaceAll('\n', ' '), remedy: CONFIGURE } }
  }
}
