import type { CallbackHosts } from '../../../activities/callbacks/hosts.ts'
import type { Config } from '../../../activities/config/config.ts'
import { notifyDirectorySubmission } from '../../../temporal/directories.ts'
import { DirectoryService } from './directories.ts'

type Adapters = {
  config: Pick<Config, 'DIRECTORIES'>
  db: ConstructorParameters<typeof DirectoryService>[0]['db']
  client: Parameters<typeof notifyDirectorySubmission>[0]
  taskDeps: { callbackHosts: CallbackHosts }
}

/** Submissions to the configured directories, of the document that the registry prints. */
export const openDirectories = (
  { config, db, client, taskDeps }: Adapters,
  document: ConstructorParameters<typeof DirectoryService>[0]['document'],
) => ({
  directories: new DirectoryService({
    db,
    directories: config.DIRECTORIES,
    hosts: taskDeps.callbackHosts,
    document,
    notify: (submissionId) => notifyDirectorySubmission(client, submissionId),
  }),
})
