import type { Command } from 'commander'
import { z } from 'zod'
import { callAsOperator } from '../operator-calls.ts'
import { type Output, show, tableText } from '../print.ts'
import { byOperator, jsonOption, operatorOption } from './by-operator.ts'

/** Loaded by the command that needs it: most of a start would be spent on it otherwise. */
const openOperatorService = async () => (await import('../services.ts')).openOperatorService()

const PATH = '/api/operator/credentials'
const Operators = z.object({
  operators: z.array(z.record(z.string(), z.unknown())),
  receipt: z.object({ receipt_id: z.string() }),
})
type Options = Output & { operator: string; reason: string }

/** `agent-rails operator create | list | revoke`: who may act as an operator. */
export function addOperator(program: Command): void {
  const operator = program.command('operator').description('operator credentials')
  jsonOption(
    operator.command('create <name>').description('make a credential and print it once'),
  ).action(async (name: string, options: Output) => {
    await using service = await openOperatorService()
    show(options, { credential: await service.create(name) }, ({ credential }) => credential)
  })
  operatorOption(
    operator.command('list').description('every credential, and a signed receipt'),
  ).action(async (options: Options) =>
    show(options, await callAsOperator(options.operator, 'GET', PATH), (answer) => {
      const { operators, receipt } = Operators.parse(answer)
      return `${tableText(operators, 'there is no operator')}\nreceipt ${receipt.receipt_id}`
    }),
  )
  byOperator(
    operator.command('revoke <id>').description('end a credential with its next call'),
  ).action(async (operator_id: string, options: Options) => {
    const { operator: by, reason } = options
    const asked = { mode: 'revoke_operator', operator_id, reason }
    show(options, await callAsOperator(by, 'POST', PATH, asked))
  })
}
