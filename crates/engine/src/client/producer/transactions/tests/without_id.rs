//! What an application can do that never got a producer id.
//!
//! Deliberately not here: calls in the wrong order with an id (`tests.rs`).

use super::*;

/// The coordinator is busy; whatever else is asked for, the cluster agrees to.
fn busy(asked: &Asked, cluster: &mut Cluster) -> Reply {
    let request = asked.request;
    match asked.payload {
        Payload::InitProducerId { .. } => {
            let result = Err(KafkaError::new("CONCURRENT_TRANSACTIONS", "ConcurrentTransactionsException", "busy"));
            Reply::Answer(Payload::InitProducerIdAnswer { request, result })
        }
        _ => cluster.answer(asked),
    }
}

#[test]
fn an_abort_and_close_come_to_an_end_without_a_producer_id() {
    for last in [Calling::AbortTransaction, Calling::Close(None)] {
        let mut stand = producer(&[("delivery.timeout.ms", "1500"), ("request.timeout.ms", "1000")]);
        let mut cluster = Cluster::new(true);
        send(&mut stand, 0, 0);
        stand.run(5, |asked| busy(&asked, &mut cluster));
        assert!(told(&stand, 0).contains("before completing a call to initTransactions"), "{}", told(&stand, 0));
        call(&mut stand, 1, Calling::InitTransactions);
        stand.run(2_000, |asked| busy(&asked, &mut cluster));
        assert!(told(&stand, 1).contains("Transaction Request was aborted"), "{}", told(&stand, 1));
        assert_eq!(state(&stand), ClientState::AbortableError);
        cluster.asked.clear();
        call(&mut stand, 2, last);
        assert_eq!(told(&stand, 2), "waits", "the client asks for an epoch first, and the coordinator is busy");
        stand.run(2_500, |asked| cluster.answer(&asked));
        assert_eq!(told(&stand, 2), "done");
        assert!(!cluster.asked.iter().any(|asked| asked.starts_with("end")), "{:?}", cluster.asked);
    }
}
