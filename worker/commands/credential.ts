import { type Command, InvalidArgumentError } from 'commander'
import { limits } from '#domain/core/limits.ts'
import { printJson, printTable } from '../print.ts'
import { openCredentials } from '../services.ts'

type Options = { operator: string; reason: string; overlap: number }

/** `agent-rails credential list | rotate | revoke`: the access keys of agents, each act with its signed receipt. */
export function addCredential(program: Command): void {
  const credential = program.command('credential').description('access keys of agents')
  credential
    .command('list <agent>')
    .description('the keys of an agent, newest first')
    .action(async (agent: string) => {
      await using service = await openCredentials()
      printTable(await service.list(agent))
    })
  byOperator(
    credential
      .command('rotate <agent>')
      .description('prepare the next key, which the agent claims by handshake'),
  )
    .option(
      '--overlap <seconds>',
      'how long the old key stays valid after the claim',
      overlap,
      86_400,
    )
    .action(async (agentId: string, { operator, reason, overlap }: Options) => {
      await using service = await openCredentials()
      printJson(await service.rotate(operator, { agentId, overlapSeconds: overlap, reason }))
    })
  byOperator(
    credential
      .command('revoke <id>')
      .description('stop a key everywhere with the next call; the id is what stands after ag_'),
  ).action(async (credentialId: string, { operator, reason }: Options) => {
    await using service = await openCredentials()
    printJson(await service.revoke(operator, { credentialId, reason }))
  })
}

const byOperator = (command: Command): Command =>
  command
    .requiredOption('--reason <text>', 'why, for the receipt')
    .requiredOption('--operator <who>', 'name or credential of the operator who acts')

function overlap(text: string): number {
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= limits.credentialOverlapSecondsMax)
    return seconds
  throw new InvalidArgumentError(`0 to ${limits.credentialOverlapSecondsMax} seconds`)
}
