import { type Command, Option } from 'commander'
import { z } from 'zod'
import { ringNames } from '#domain/keys/rotation.ts'
import { createSigningKeys, createTokenKeys, renewTokenKeys } from '../files/signing-keys.ts'
import { callAsOperator } from '../operator-calls.ts'
import { type Output, show, tableText } from '../print.ts'
import { byOperator, jsonOption, operatorOption, overlapSeconds } from './by-operator.ts'

type Options = Output & { operator: string; reason: string }
const PATH = '/api/operator/keys'
const ROTATE_PATH = '/api/signing-secret-rotation'
const rows = z.array(z.record(z.string(), z.unknown()))
const Keys = z.object({
  keys: rows,
  rotations: rows,
  receipt: z.object({ receipt_id: z.string() }),
})

/** `agent-rails keys create | create-tokens | list | rotate | rotate-tokens | publish | retire | revoke`: the keys of the service. `create`, `create-tokens` and `rotate-tokens` write files; all others call the service. */
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
    keys
      .command('list')
      .description('every key with its standing, the rotations, and a signed receipt'),
  ).action(async (options: Options) =>
    show(options, await callAsOperator(options.operator, 'GET', PATH), (answer) => {
      const { keys, rotations, receipt } = Keys.parse(answer)
      return [
        tableText(keys, 'no key is published'),
        tableText(rotations.map(shortRotation), 'no key was rotated'),
        `receipt ${receipt.receipt_id}`,
      ].join('\n\n')
    }),
  )
  byOperator(
    keys
      .command('rotate')
      .description(
        'have the signer make the next key of a ring, or of each; a workflow does the rest',
      )
      .addOption(new Option('--ring <name>', 'every ring unless given').choices(ringNames))
      .option(
        '--overlap <seconds>',
        'how long the previous key stays valid',
        overlapSeconds,
        86_400,
      )
      .option(
        '--revoke-old',
        'skip both waits, and revoke the previous key when the next one signs; also of a rotation that is open',
      ),
  ).action(async (options: RotateOptions) => show(options, await rotate(options)))
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

type RotateOptions = Options & { ring?: string; overlap: number; revokeOld?: boolean }
const rotate = ({ operator, reason, ring, overlap, revokeOld = false }: RotateOptions) =>
  callAsOperator(operator, 'POST', ROTATE_PATH, {
    mode: 'rotate_signing_credential',
    target: 'service',
    ...(ring === undefined ? {} : { ring }),
    overlap_seconds: overlap,
    revoke_old: revokeOld,
    reason,
  })

/** The columns that fit a line. */
const shortRotation = ({
  ring,
  state,
  next_kid,
  activate_at,
  retire_at,
}: Record<string, unknown>) => ({
  ring,
  state,
  next_kid,
  activate_at,
  retire_at,
})

const publish = ({ operator, reason }: Options) =>
  callAsOperator(operator, 'POST', PATH, { mode: 'publish_keys', reason })
