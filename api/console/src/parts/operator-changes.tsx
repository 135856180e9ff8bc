import type { ReactNode } from 'react'
import { Age, Foreign, ReceiptLink } from './basics.tsx'
import { Table } from './table.tsx'

type Change = {
  at: string
  what: string
  about: ReactNode
  operator: string
  reason: string
  receiptId: string
}
type OperatorChangesProps = {
  label: string
  /** The name of the column `about`. */
  about: string
  changes: readonly Change[]
}

/** What operators changed: when, what, who, why, and the receipt. */
export const OperatorChanges = ({ label, about, changes }: OperatorChangesProps) => (
  <Table
    label={label}
    items={changes}
    keyOf={(change) => change.receiptId}
    columns={[
      { name: 'When', of: (change) => <Age since={change.at} /> },
      { name: 'Change', of: (change) => change.what },
      { name: about, of: (change) => change.about },
      { name: 'Operator', of: (change) => <Foreign text={change.operator} /> },
      { name: 'Reason', of: (change) => <Foreign text={change.reason} /> },
      { name: 'Receipt', of: (change) => <ReceiptLink id={change.receiptId}>verify</ReceiptLink> },
    ]}
  />
)
