import { z } from 'zod'
import {
  CheckoutMandate,
  OpenCheckoutMandate,
  OpenPaymentMandate,
  PaymentMandate,
} from '#domain/ap2/mandates.ts'
import { Ap2Asked } from '#domain/ap2/terms.ts'
import { SignedAction, SignedGrant, SignedMandate } from '#domain/authority/artifacts.ts'
import { callbackBody } from '#domain/callbacks/callback-body.ts'
import { CommercePacket } from '#domain/commerce/packet.ts'
import { rails } from '#domain/rails/index.ts'
import { ReplayFile } from '#domain/runs/replay-package.ts'
import { ResultContract, ReturnPackage } from '#domain/runs/return-package.ts'
import { RunContract } from '#domain/runs/run-contract.ts'
import { PackClaims } from '#domain/trust/handoff-pack.ts'
import { PassportClaims } from '#domain/trust/passport.ts'
import { problemSchema } from '../http/openapi-components.ts'
import type { JsonObject } from '../http/schema-components.ts'
import { Manifest } from '../operations/agents/registration.ts'
import { VerificationPacket } from '../operations/receipts.ts'
import { Clearing } from '../shapes/clearings.ts'
import { CommerceProofInput } from '../shapes/commerce.ts'
import type { SchemaDocuments } from '../shapes/documents.ts'
import { Receipt } from '../shapes/receipts.ts'

const written = (schema: z.ZodType, io: 'input' | 'output') => (): JsonObject =>
  z.toJSONSchema(schema, { target: 'draft-2020-12', io }) as JsonObject

/** The published schema documents, each printed from the schema that reads or writes its values. */
export const schemaDocuments: SchemaDocuments = {
  'authority-mandate.v1.json': written(SignedMandate, 'output'),
  'action-grant.v1.json': written(SignedGrant, 'output'),
  'delegated-action.v1.json': written(SignedAction, 'output'),
  'ap2-mandates-asked.v1.json': written(Ap2Asked, 'input'),
  'ap2-open-checkout-mandate.v1.json': written(OpenCheckoutMandate, 'output'),
  'ap2-open-payment-mandate.v1.json': written(OpenPaymentMandate, 'output'),
  'ap2-checkout-mandate.v1.json': written(CheckoutMandate, 'output'),
  'ap2-payment-mandate.v1.json': written(PaymentMandate, 'output'),
  'commerce-proof.v1.json': written(CommerceProofInput, 'input'),
  'commerce-packet.v1.json': written(CommercePacket, 'output'),
  'receipt.v1.json': written(Receipt, 'output'),
  'verification-packet.v1.json': written(VerificationPacket, 'output'),
  'return-package.v2.json': written(ReturnPackage, 'output'),
  'run-contract.v2.json': written(RunContract, 'output'),
  'clearing.v1.json': written(Clearing, 'output'),
  'result-contract.v2.json': written(ResultContract, 'output'),
  'passport.v1.json': written(PassportClaims, 'output'),
  'handoff-pack.v1.json': written(PackClaims, 'output'),
  'replay-package.v1.json': written(ReplayFile, 'output'),
  'agent-manifest.v1.json': written(Manifest, 'input'),
  'callback-event.v1.json': written(callbackBody, 'output'),
  'problem.v1.json': () => problemSchema,
  ...Object.fromEntries(
    rails.flatMap(({ key, input, result }) => [
      [`rail-input-${key}.v1.json`, written(input, 'input')],
      [`rail-result-${key}.v1.json`, written(result, 'output')],
    ]),
  ),
}
