import type { Command } from 'commander'
import { z } from 'zod'
import {
  createSigningKeys,
  createTokenKeys,
  renewSigningKeys,
  renewTokenKeys,
} from '../files/signing-keys.ts'
import { callAsOperator } from '../operator-calls.ts'
import { type Output, printError, show, tableText } from '../print.ts'
import { byOperator, jsonOption, operatorOption } from './by-operator.ts'

type Options = Output & { operator: string; reason: string }
const PATH = '/api/operator/keys'
const Keys = z.object({
  keys: z.array(z.record(z.string(), z.unknown())),
  receipt: z.object({ receipt_id: z.string() }),
})

/** `agent-rails keys create | create-tokens | list | rotate | rotate-tokens | publish | retire | revoke`: the keys of the service; only the files are written here. */
export function addKeys(program: Command): void {
  const keys = program.command('keys').description('signing keys of the service')
  jsonOption(
    keys.command('create <file>').description('make the file of signing keys where there is none'),
  ).action((file: string, options: Output) =>
    show(options, { file, done: createSigningKeys(file, new Date()) }, ({ done }) =>
      done.join('\n'),
    ),
  )
  jsonOption(
    keys
      .command('create-tokens <file>')
      .description('make the file of the keys that tokens are derived from, where there is none'),
  ).action((file: string, options: Output) => {
    createTokenKeys(file)
    show(options, { file }, () => file)
  })
  jsonOption(
    keys
      .command('rotate-tokens <file>')
      .description(
        'add a key that new tokens are derived from in an hour; older tokens stay valid',
      ),
  ).action((file: string, options: Output) => {
    renewTokenKeys(file, new Date())
    show(options, { file }, () => file)
  })
  operatorOption(
    keys.command('list').description('every key with its standing, and a signed receipt'),
  ).action(async (options: Options) =>
    show(options, await callAsOperator(options.operator, 'GET', PATH), (answer) => {
      const { keys, receipt } = Keys.parse(answer)
      return `${tableText(keys, 'no key is published')}\nreceipt ${receipt.receipt_id}`
    }),
  )
  byOperator(
    keys
      .command('rotate <file>')
      .description(
        'at the signer: put a new active key into each ring of its file, and publish them',
      ),
  ).action(async (file: string, options: Options) => {
    printError(renewSigningKeys(file, new Date()).join('\n'))
    show(options, await publish(options))
  })
  byOperator(
    keys
      .command('publish')
      .description('have the service ask its signer again, and publish the keys that were added'),
  ).action(async (options: Options) => show(options, await publish(options)))
  for (const end of ['retire', 'revoke'] as const)
    byOperator(keys.command(`${end} <kid>`).description(ends[end])).action(
      async (kid: string, options: Options) => {
        const { operator, reason } = options
        const asked = { mode: `${end}_key`, kid, reason }
        show(options, await callAsOperator(operator, 'POST', PATH, asked))
      },
    )
}

const ends = {
  retire: 'end a key: what it signed stays valid, and another key of its ring signs from now on',
  revoke: 'end a stolen key: what it signed is refused, but for receipts that are on record',
}

const publish = ({ operator, reason }: Options) =>
  callAsOperator(operator, 'POST', PATH, { mode: 'publish_keys', reason })
