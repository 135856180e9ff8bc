import { type Command, Option } from 'commander'

/** Asks for the credential of the operator who acts. */
export const operatorOption = (command: Command): Command =>
  command.addOption(
    new Option('--operator <credential>', 'credential of the operator who acts, op_…')
      .env('OPERATOR_CREDENTIAL')
      .makeOptionMandatory(),
  )

/** Asks for the credential of the operator who acts, and why. */
export const byOperator = (command: Command): Command =>
  operatorOption(command).requiredOption('--reason <text>', 'why, for the receipt')
