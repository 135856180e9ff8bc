import { type Command, InvalidArgumentError, Option } from 'commander'
import { limits } from '#domain/core/limits.ts'

/** `--json`, which every command has. */
export const jsonOption = (command: Command): Command =>
  command.option('--json', 'print the answer as JSON')

/** Asks for the credential of the operator who acts. */
export const operatorOption = (command: Command): Command =>
  jsonOption(command).addOption(
    new Option('--operator <credential>', 'credential of the operator who acts, op_…')
      .env('OPERATOR_CREDENTIAL')
      .makeOptionMandatory(),
  )

/** Asks for the credential of the operator who acts, and why. */
export const byOperator = (command: Command): Command =>
  operatorOption(command).requiredOption('--reason <text>', 'why, for the receipt')

/** Asks who acts by credential or, at a machine with the database and the keys, by name; and why. */
export const byNamedOperator = (command: Command): Command =>
  jsonOption(command)
    .requiredOption('--reason <text>', 'why, for the receipt')
    .requiredOption('--operator <who>', 'name or credential of the operator who acts')

/** Reads the overlap of a rotation. */
export function overlapSeconds(text: string): number {
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= limits.credentialOverlapSecondsMax)
    return seconds
  throw new InvalidArgumentError(`0 to ${limits.credentialOverlapSecondsMax} seconds`)
}
