import type { Config } from '../../activities/config/config.ts'
import { loadStackSettings } from '../../activities/config/stack-settings.ts'
import { print, printJson } from '../print.ts'
import { loadSettings } from '../settings.ts'
import { readNeeds, textOfNeeds } from './attention.ts'
import { checkChain } from './chain.ts'
import { type Check, reasonOf } from './check.ts'
import { checkKeys } from './keys.ts'
import { checkMachine, checkPorts } from './machine.ts'
import { checkPostgres } from './postgres.ts'
import { checkSwitches } from './switches.ts'
import { checkTemporal } from './temporal.ts'

const CONFIGURE =
  'Run npm start for the local stack, or set the variables that docs/operations.md lists.'

/** Runs all checks of a deployment; without a valid configuration, only those of the machine. */
export async function examine(environment?: NodeJS.ProcessEnv): Promise<Check[]> {
  const machine = await checkMachine(loadStackSettings(environment).DATA_DIR)
  const { config, problem } = readConfiguration(environment)
  if (config === undefined) return [...machine, problem]
  const found = [machine]
  // One after the other: on a busy machine, the time of a check must not run while this process works on others.
  for (const check of checks) found.push(await check(config))
  return found.flat()
}

const checks: readonly ((config: Config) => Promise<Check[]>)[] = [
  checkPorts,
  checkKeys,
  checkPostgres,
  checkTemporal,
  checkChain,
  checkSwitches,
]

/** Prints what needs attention and the checks, as text or as JSON `{ok, checks, attention}`; returns whether there is no fault. */
export async function printReport(json: boolean): Promise<boolean> {
  const { config } = readConfiguration(undefined)
  const found = await examine()
  const attention = config === undefined ? [] : await readNeeds(config)
  const ok = found.every((check) => check.ok)
  if (json) printJson({ ok, checks: found, attention })
  else print([textOfNeeds(attention), tableOf(found)].filter((text) => text !== '').join('\n\n'))
  return ok
}

/** One line per check, with the remedy below a fault or a warning. */
export function tableOf(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.flatMap(({ name, ok, detail, remedy }) => {
    const line = `${labelOf(ok, remedy)}  ${name.padEnd(width)}  ${detail}`
    return remedy === undefined ? [line] : [line, `${' '.repeat(width + 9)}→ ${remedy}`]
  })
  const faults = checks.filter(({ ok }) => !ok).length
  return `${lines.join('\n')}\n\n${summaryOf(faults)}`
}

function labelOf(ok: boolean, remedy: string | undefined): string {
  if (!ok) return 'FAULT'
  return remedy === undefined ? 'ok   ' : 'WARN '
}

function summaryOf(faults: number): string {
  if (faults === 0) return 'all is well'
  return faults === 1 ? '1 fault' : `${faults} faults`
}

type Configuration = { config: Config; problem?: never } | { config?: never; problem: Check }

function readConfiguration(environment: NodeJS.ProcessEnv | undefined): Configuration {
  try {
    return { config: loadSettings(environment) }
  } catch (error) {
    const detail =
      error instanceof Error ? error.message.replace(/^configuration: /, '') : reasonOf(error)
    return {
      problem: {
        name: 'configuration',
        ok: false,
        detail: detail.replaceAll('\n', ' '),
        remedy: CONFIGURE,
      },
    }
  }
}
