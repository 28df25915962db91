/** The channel that wakes the sequencers, which number the events in the outbox. */
export const EVENT_CHANNEL = 'feira_events';
/** The channel that wakes the dispatchers when stored deliveries become due, for example because of a redelivery. */
export const DELIVERY_CHANNEL = 'feira_deliveries';
