// The steps' names, where the pipeline looks for them.
export type {StepId} from '../../config/step-ids.js'
