import { actionStates } from '#domain/authority/facts.ts'
import { ActionTable, AuthorityTabs } from '../parts/delegation.tsx'
import { ListPage } from '../parts/list.tsx'

/** What agents executed under mandates, each with the rules that permitted it. */
export function DelegatedActionsPage() {
  return (
    <ListPage
      list="delegated-actions-list"
      path="/authority/actions"
      title="Delegated actions"
      tabs={<AuthorityTabs />}
      text="Id of an action, grant, mandate, agent or operation"
      choices={[{ name: 'state', label: 'State', any: 'Any state', values: actionStates }]}
      empty={{
        title: 'No action matches',
        about: 'What an agent was refused before it was stored is on the page of its mandate.',
      }}
    >
      {(items) => <ActionTable actions={items} />}
    </ListPage>
  )
}
