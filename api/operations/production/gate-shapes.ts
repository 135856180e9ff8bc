import { z } from 'zod'
import { gateChecks } from '#domain/production/write-gate.ts'
import { Time } from '../../fields.ts'
import { toolNames } from '../../mcp/tool-names.ts'
import { Rail, Scope } from '../agents/shapes.ts'

export const AuditEventId = z.string().regex(/^aud_[0-9a-f]{64}$/)

const GateCheckName = z.enum(gateChecks)
export const GateCheck = z
  .strictObject({ check: GateCheckName, ok: z.boolean(), detail: z.string() })
  .meta({ id: 'GateCheck' })

const count = z.int().min(0)
/** The gate as it stands now. */
export const WriteGateContract = z
  .strictObject({
    checks: z.array(z.strictObject({ check: GateCheckName, rule: z.string() })),
    allowed_rails: z.array(Rail),
    operations_behind_gate: z.array(
      z.strictObject({
        operation_id: z.string(),
        method: z.string(),
        path: z.string(),
        tool: z.enum(toolNames).nullable(),
        scopes: z.array(Scope),
        rails: z.array(Rail),
        callback: z.enum(['required', 'if_given']),
        written: count.meta({ description: 'Writes that passed.' }),
        validated: count.meta({ description: 'Validations that passed.' }),
        refused: count.meta({ description: 'Validations that did not pass.' }),
      }),
    ),
    paused: z
      .string()
      .nullable()
      .meta({ description: 'Why the service takes no new work now; null where it does.' }),
    event: z
      .strictObject({
        audit_event_id: AuditEventId,
        kind: z.enum(['validated', 'written', 'refused']),
        operation_id: z.string(),
        rail: Rail,
        subject: z.string().meta({ description: 'What was written or refused.' }),
        passed: z.boolean(),
        code: z.string().nullable().meta({ description: 'Why it was refused.' }),
        checks: z.array(z.strictObject({ check: z.string(), ok: z.boolean(), detail: z.string() })),
        at: Time,
      })
      .nullable()
      .meta({ description: 'The event that audit_event_id names.' }),
  })
  .meta({ id: 'WriteGate' })
