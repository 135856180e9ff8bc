import { z } from 'zod'
import { credentialChecks, scopes } from '#domain/agents/credential.ts'
import { type ErrorCode, errorCodes } from '#domain/core/error-codes.ts'
import { AccessKind } from './mcp.ts'

const Scope = z.enum(scopes)
const Code = z.enum(Object.keys(errorCodes) as ErrorCode[])
const count = z.int().min(0)

/** What each operation needs of its caller, and the checks of an access key. */
export const CredentialPolicy = z
  .strictObject({
    scopes: z.array(Scope),
    operations: z.array(
      z.strictObject({
        operation_id: z.string(),
        access: z.array(AccessKind).meta({ description: 'Each is enough.' }),
        scopes: z.array(Scope).meta({ description: 'All that a key of an agent needs.' }),
        gated: z.boolean().meta({ description: 'Behind the production write gate.' }),
      }),
    ),
    order_of_checks: z.array(
      z.strictObject({
        check: z.enum(credentialChecks.map(({ check }) => check)),
        code: Code,
        rule: z.string(),
      }),
    ),
    error_codes: z.array(Code),
    live: z
      .strictObject({ allow: count, deny: count })
      .meta({ description: 'Checks that were asked for, by their result.' }),
    audit: z
      .strictObject({
        audit_event_id: z.string(),
        operation_id: z.string(),
        decision: z.enum(['allow', 'deny']),
        reasons: z.array(Code),
        at: z.iso.datetime(),
      })
      .nullable()
      .meta({ description: 'The event that audit_event_id names.' }),
  })
  .meta({ id: 'CredentialPolicy' })
