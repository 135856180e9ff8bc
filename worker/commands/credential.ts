import type { Command } from 'commander'
import { type Output, show, tableText } from '../print.ts'
import { byNamedOperator, jsonOption, overlapSeconds } from './by-operator.ts'

/** Loaded by the command that needs it: most of a start would be spent on it otherwise. */
const openCredentials = async () => (await import('../services.ts')).openCredentials()

type Options = Output & { operator: string; reason: string; overlap: number }

/** `agent-rails credential list | rotate | revoke`: the access keys of agents, each act with its signed receipt. */
export function addCredential(program: Command): void {
  const credential = program.command('credential').description('access keys of agents')
  jsonOption(
    credential.command('list <agent>').description('the keys of an agent, newest first'),
  ).action(async (agent: string, options: Output) => {
    await using service = await openCredentials()
    show(options, await service.list(agent), (keys) => tableText(keys, 'the agent has no key'))
  })
  byNamedOperator(
    credential
      .command('rotate <agent>')
      .description('prepare the next key, which the agent claims by handshake'),
  )
    .option(
      '--overlap <seconds>',
      'how long the old key stays valid after the claim',
      overlapSeconds,
      86_400,
    )
    .action(async (agentId: string, options: Options) => {
      const { operator, reason, overlap } = options
      await using service = await openCredentials()
      const rotation = { agentId, overlapSeconds: overlap, reason }
      show(options, await service.rotate(operator, rotation))
    })
  byNamedOperator(
    credential
      .command('revoke <id>')
      .description('stop a key everywhere with the next call; the id is what stands after ag_'),
  ).action(async (credentialId: string, options: Options) => {
    const { operator, reason } = options
    await using service = await openCredentials()
    show(options, await service.revoke(operator, { credentialId, reason }))
  })
}
