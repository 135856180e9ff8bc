import { randomBytes } from 'node:crypto'
import { readSecret, writeSecret } from '../../activities/config/secret-file.ts'
import { createRoles, type RolePasswords } from '../../activities/store/postgres/create-roles.ts'
import { databaseRoles } from '../../activities/store/postgres/roles.ts'

const newPassword = () => randomBytes(18).toString('base64url')

/** Makes the database roles, with passwords that are made once and kept in a file; a role that is new gets one. */
export async function makeRoles(url: string, file: string): Promise<RolePasswords> {
  const known = readSecret<Partial<RolePasswords>>(file) ?? {}
  const made = databaseRoles.map((role) => [role, known[role] ?? newPassword()] as const)
  const passwords = Object.fromEntries(made) as RolePasswords
  if (databaseRoles.some((role) => known[role] === undefined)) writeSecret(file, passwords)
  await createRoles(url, passwords)
  return passwords
}
