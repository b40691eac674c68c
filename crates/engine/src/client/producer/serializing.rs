//! What the serializers of the Java client make of a key or value of the wrong class.
//!
//! Follows `KafkaProducer.doSend` of Kafka 4.3.1. The bytes themselves are made by the `partitioner` crate's
//! encodings.

use super::Producer;
use crate::error::KafkaError;

/// Serializers of Kafka 4.3.1 and the class that each takes.
const SERIALIZERS: [(&str, &str); 11] = [
    ("StringSerializer", "java.lang.String"),
    ("IntegerSerializer", "java.lang.Integer"),
    ("LongSerializer", "java.lang.Long"),
    ("ShortSerializer", "java.lang.Short"),
    ("FloatSerializer", "java.lang.Float"),
    ("DoubleSerializer", "java.lang.Double"),
    ("BooleanSerializer", "java.lang.Boolean"),
    ("UUIDSerializer", "java.util.UUID"),
    ("ByteArraySerializer", "[B"),
    ("ByteBufferSerializer", "java.nio.ByteBuffer"),
    ("VoidSerializer", "java.lang.Void"),
];

/// The class of what an application hands over, by the name of its encoding.
pub(crate) fn java_class(encoding: Option<&str>) -> &'static str {
    match encoding {
        None | Some("text") => "java.lang.String",
        Some("int32") => "java.lang.Integer",
        Some("int64") => "java.lang.Long",
        Some("uuid") => "java.util.UUID",
        Some(_) => "[B",
    }
}

impl Producer {
    /// The error of a serializer that was set and gets something else; without one anything goes.
    pub(super) fn cannot_serialize(&self, classes: [Option<&'static str>; 2]) -> Option<KafkaError> {
        let given = ["key", "value"].into_iter().zip(classes);
        given.filter_map(|(part, class)| self.mismatch(part, class?)).next()
    }

    fn mismatch(&self, part: &str, class: &str) -> Option<KafkaError> {
        let setting = format!("{part}.serializer");
        let name = self.plan.configs.get(setting.as_str())?;
        let short = name.rsplit('.').next().unwrap_or(name);
        let (serializer, wanted) = SERIALIZERS.iter().find(|(serializer, _)| *serializer == short)?;
        if *wanted == class {
            return None;
        }
        let text = format!(
            "Can't convert {part} of class {class} to class org.apache.kafka.common.serialization.{serializer} specified \
             in {setting}"
        );
        let cause = format!(
            "class {class} cannot be cast to class {wanted} ({class} and {wanted} are in module java.base of loader \
             'bootstrap')"
        );
        let cause = KafkaError::new("", "ClassCastException", cause);
        Some(KafkaError::new("", "SerializationException", text).caused_by(cause))
    }
}
