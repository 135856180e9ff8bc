import type { ReactNode } from 'react'
import { Age, Cell, Foreign, ReceiptLink, Row, Table } from './basics.tsx'

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
  <Table label={label} head={['When', 'Change', about, 'Operator', 'Reason', 'Receipt']}>
    {changes.map((change) => (
      <Row key={change.receiptId}>
        <Cell>
          <Age since={change.at} />
        </Cell>
        <Cell>{change.what}</Cell>
        <Cell>{change.about}</Cell>
        <Cell>
          <Foreign text={change.operator} />
        </Cell>
        <Cell>
          <Foreign text={change.reason} />
        </Cell>
        <Cell>
          <ReceiptLink id={change.receiptId}>verify</ReceiptLink>
        </Cell>
      </Row>
    ))}
  </Table>
)
