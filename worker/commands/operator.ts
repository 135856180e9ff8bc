import type { Command } from 'commander'
import { callAsOperator } from '../operator-calls.ts'
import { print, printJson } from '../print.ts'
import { openOperatorService } from '../services.ts'
import { byOperator, operatorOption } from './by-operator.ts'

const PATH = '/api/operator/credentials'

/** `agent-rails operator create | list | revoke`: who may act as an operator. */
export function addOperator(program: Command): void {
  const operator = program.command('operator').description('operator credentials')
  operator
    .command('create <name>')
    .description('make a credential and print it once')
    .action(async (name: string) => {
      await using service = await openOperatorService()
      print(await service.create(name))
    })
  operatorOption(
    operator.command('list').description('every credential, and a signed receipt'),
  ).action(async (options: { operator: string }) =>
    printJson(await callAsOperator(options.operator, 'GET', PATH)),
  )
  byOperator(
    operator.command('revoke <id>').description('end a credential with its next call'),
  ).action(
    async (operator_id: string, { operator: by, reason }: { operator: string; reason: string }) =>
      printJson(
        await callAsOperator(by, 'POST', PATH, { mode: 'revoke_operator', operator_id, reason }),
      ),
  )
}
