import { randomBytes } from 'node:crypto'
import { keepSecret } from '../../activities/config/secret-file.ts'
import { createRoles, type RolePasswords } from '../../activities/store/postgres/create-roles.ts'

const newPassword = () => randomBytes(18).toString('base64url')

/** Makes the database roles, with passwords that are made once and kept in a file. */
export async function makeRoles(url: string, file: string): Promise<RolePasswords> {
  const passwords = await keepSecret<RolePasswords>(file, () => ({
    api: newPassword(),
    worker: newPassword(),
    signer: newPassword(),
    reader: newPassword(),
  }))
  await createRoles(url, passwords)
  return passwords
}
