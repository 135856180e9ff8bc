import type { Command } from 'commander'
import { createSigningKeys, renewSigningKeys } from '../files/signing-keys.ts'
import { callAsOperator } from '../operator-calls.ts'
import { print, printError, printJson } from '../print.ts'
import { byOperator, operatorOption } from './by-operator.ts'

type Options = { operator: string; reason: string }
const PATH = '/api/operator/keys'

/** `agent-rails keys create | list | rotate | publish | retire | revoke`: the signing keys; only the file is written here. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('signing keys of the service')
  keys
    .command('create <file>')
    .description('make the file of signing keys where there is none')
    .action((file: string) => print(createSigningKeys(file, new Date()).join('\n')))
  operatorOption(
    keys.command('list').description('every key with its standing, and a signed receipt'),
  ).action(async ({ operator }: Options) => printJson(await callAsOperator(operator, 'GET', PATH)))
  byOperator(
    keys
      .command('rotate <file>')
      .description(
        'put a new active key into each ring of the file, and publish them; processes that start sign with them',
      ),
  ).action(async (file: string, { operator, reason }: Options) => {
    printError(renewSigningKeys(file, new Date()).join('\n'))
    printJson(await publish(operator, reason))
  })
  byOperator(
    keys
      .command('publish')
      .description('have the service read its file again, and publish the keys that were added'),
  ).action(async ({ operator, reason }: Options) => printJson(await publish(operator, reason)))
  for (const end of ['retire', 'revoke'] as const)
    byOperator(keys.command(`${end} <kid>`).description(ends[end])).action(
      async (kid: string, { operator, reason }: Options) =>
        printJson(
          await callAsOperator(operator, 'POST', PATH, { mode: `${end}_key`, kid, reason }),
        ),
    )
}

const ends = {
  retire: 'end a key: what it signed stays valid, and another key of its ring signs from now on',
  revoke: 'end a stolen key: what it signed is refused, but for receipts that are on record',
}

const publish = (operator: string, reason: string) =>
  callAsOperator(operator, 'POST', PATH, { mode: 'publish_keys', reason })
