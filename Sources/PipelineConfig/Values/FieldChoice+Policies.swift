public import Pipeline

extension PayloadFormat: FieldChoice {}
extension ErrorPolicy: FieldChoice {}
extension NotFoundPolicy: FieldChoice {}
extension FetchPolicy: FieldChoice {}
extension BatchAnswer.Missing: FieldChoice {}
